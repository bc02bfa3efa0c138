// Lists the conversations with the CLIs, by tag and goal.

import type { Resources } from '../../contract/resources.ts';
import type { SessionLine } from '../../contract/sessions.ts';
import { useFollowing } from '../live/follow.ts';
import { FilterField } from '../parts/field.tsx';
import { counted, short } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { route, setQuery, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';

export function SessionsView() {
  const concerns = (topic: string) => topic === 'sessions' || topic === '*';
  const sessions = useFollowing<Resources['/api/sessions']>('/api/sessions', concerns);
  const text = route.value.query.get('q') ?? '';
  return (
    <View title="Sessions" about="The conversations that stages had with their CLIs, the latest first.">
      {(text !== '' || (sessions.value.value?.sessions ?? []).some(({ kept }) => kept)) && (
        <div class="bar">
          <FilterField label="Filter sessions" value={text} onInput={(q) => setQuery({ q })} />
        </div>
      )}
      <Shown of={sessions} what="the sessions">
        {({ sessions: all }) => <Conversations of={all.filter((line) => fits(line, text.toLowerCase()))} all={all} />}
      </Shown>
    </View>
  );
}

const fits = ({ tag, goal, made_by: by, tool, session_id: id }: SessionLine, text: string): boolean =>
  `${tag} ${goal ?? ''} ${by?.stage ?? ''} ${tool} ${id}`.toLowerCase().includes(text);

/** Those that can be opened come first. */
function Conversations({ of, all }: { of: readonly SessionLine[]; all: readonly SessionLine[] }) {
  const kept = of.filter((line) => line.kept);
  const others = of.filter((line) => !line.kept);
  return (
    <>
      {kept.length > 0 ? (
        <Panel title="Sessions you can open" edge="flush">
          <Lines of={kept} label="Conversations" />
        </Panel>
      ) : (
        <NoneKept of={of} all={all} />
      )}
      {others.length > 0 && (
        <details class="panel" open={kept.length === 0}>
          <summary>
            {counted(others.length, 'session')} {others.length === 1 ? 'was' : 'were'} not kept
          </summary>
          <Lines of={others} label="Conversations that are not kept" />
        </details>
      )}
    </>
  );
}

function NoneKept({ of, all }: { of: readonly SessionLine[]; all: readonly SessionLine[] }) {
  if (all.length === 0) return <Empty title="No session">A task keeps one after its first call of a CLI.</Empty>;
  if (of.length === 0) return <Empty title="No session is like that">Take a word out of the filter.</Empty>;
  if (all.some((line) => line.kept)) return <Empty title="None that you can open fits the filter" />;
  return (
    <p class="notice">
      <span>
        <b>No CLI kept a conversation.</b> None of these can be opened, continued or undone. A rerun of a task begins a
        new one.
      </span>
    </p>
  );
}

function Lines({ of, label }: { of: readonly SessionLine[]; label: string }) {
  // A column that would say "unknown" in every row is left out.
  const hasTurns = of.some(({ turns }) => turns !== null);
  const hasContext = of.some((line) => line.kept && line.context_tokens !== null);
  const hasHealth = of.some(({ health }) => health !== 'unknown');
  const heads = [
    'Task',
    'Stage',
    'CLI',
    ...(hasTurns ? [{ number: 'Turns' }] : []),
    ...(hasContext ? [{ number: 'Context' }] : []),
    ...(hasHealth ? ['Health'] : []),
    'Used',
  ];
  return (
    <Table label={label} heads={heads}>
      {of.map((line) => (
        <tr key={`${line.tag} ${line.tool} ${line.session_id}`}>
          <th scope="row">
            <NameOf line={line} />
            {line.goal !== null && (
              <p class="soft">
                <Words of={line.goal} />
              </p>
            )}
          </th>
          <td>{line.made_by === null ? '–' : <Words of={line.made_by.stage} />}</td>
          <td>{line.tool}</td>
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
  );
}

/** Leads to the conversation, if the CLI still has it, else to its task. */
function NameOf({ line: { kept, tag, session_id: id, made_by: by } }: { line: SessionLine }) {
  const name = <Words of={by === null ? tag : tag.replace(/ \(reasoner\)$/, '')} />;
  if (!kept) return by === null ? name : <a href={to('tasks', by.task_id)}>{name}</a>;
  return (
    <a href={to('sessions', id)} title={id}>
      {name}
    </a>
  );
}
