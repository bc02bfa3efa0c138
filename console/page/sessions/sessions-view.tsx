// Lists the conversations with the CLIs, by tag and goal.

import type { Resources } from '../../contract/resources.ts';
import type { SessionLine } from '../../contract/sessions.ts';
import { useFollowing } from '../live/follow.ts';
import { count, counted, short } from '../parts/figures.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Dated } from '../parts/times.tsx';
import { route, setQuery, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';

export function SessionsView() {
  const concerns = (topic: string) => topic === 'sessions' || topic === '*';
  const sessions = useFollowing<Resources['/api/sessions']>('/api/sessions', concerns);
  const text = route.value.query.get('q') ?? '';
  return (
    <View title="Sessions" about="The conversations that stages had with their CLIs, the latest first.">
      <div class="bar">
        <FilterField label="Filter sessions" value={text} onInput={(q) => setQuery({ q })} />
      </div>
      <Panel title="Conversations" edge="flush">
        <Shown of={sessions} what="the sessions">
          {({ sessions: all }) =>
            all.length === 0 ? (
              <Empty title="No session">A task keeps one after its first call of a CLI.</Empty>
            ) : (
              <Lines of={all.filter((line) => fits(line, text.toLowerCase()))} />
            )
          }
        </Shown>
      </Panel>
    </View>
  );
}

const fits = ({ tag, goal, tool, session_id: id }: SessionLine, text: string): boolean =>
  `${tag} ${goal ?? ''} ${tool} ${id}`.toLowerCase().includes(text);

function Lines({ of }: { of: readonly SessionLine[] }) {
  if (of.length === 0) return <Empty title="No session is like that">Take a word out of the filter.</Empty>;
  // A column that would say "unknown" in every row is left out.
  const hasTurns = of.some(({ turns }) => turns !== null);
  const hasContext = of.some((line) => line.kept && line.context_tokens !== null);
  const hasHealth = of.some(({ health }) => health !== 'unknown');
  const kept = of.filter((line) => line.kept).length;
  const isMixed = kept > 0 && kept < of.length;
  const heads = [
    'Conversation',
    'CLI',
    ...(isMixed ? ['Kept by its CLI'] : []),
    ...(hasTurns ? [{ number: 'Turns' }] : []),
    ...(hasContext ? [{ number: 'Context' }] : []),
    ...(hasHealth ? ['Health'] : []),
    'Used',
  ];
  return (
    <>
      {kept < of.length && (
        <p class="panel-body dim">
          {kept === 0 ? 'The CLIs have' : `Of ${count(of.length - kept)} of these, the CLIs have`} no file any more, so
          they cannot be opened, continued or undone. A rerun of the task begins a new conversation.
        </p>
      )}
      <Table label="Conversations" heads={heads}>
        {of.map((line) => (
          <tr key={`${line.tag} ${line.tool} ${line.session_id}`}>
            <th scope="row" class={line.kept ? undefined : 'plain'}>
              {line.kept ? (
                <a href={to('sessions', line.session_id)} title={line.session_id}>
                  <Words of={line.tag} />
                </a>
              ) : (
                <Words of={line.tag} />
              )}
              {of.filter(({ tag }) => tag === line.tag).length > 1 && (
                <span class="dim">
                  {' '}
                  with {line.tool}, <Dated at={line.last_used} />
                </span>
              )}
              {line.goal !== null && (
                <p class="soft">
                  <Words of={line.goal} />
                </p>
              )}
            </th>
            <td>{line.tool}</td>
            {isMixed && <td>{line.kept ? 'yes' : <Mark tone="calm" word="not kept" icon="none" />}</td>}
            {hasTurns && <td class="number">{line.turns ?? '–'}</td>}
            {hasContext && (
              <td class="number">{line.context_tokens === null ? '–' : `${short(line.context_tokens)} tokens`}</td>
            )}
            {hasHealth && (
              <td>
                <Words of={line.health} />
                {line.error_count > 0 && <span class="dim">, {counted(line.error_count, 'error')} in a row</span>}
              </td>
            )}
            <td>
              <Ago at={line.last_used} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
