// Lists the sessions that are kept under tags, and shows the health of the services.

import type { Resources } from '../../contract/resources.ts';
import type { HealthShown, SessionLine } from '../../contract/sessions.ts';
import { useFollowing } from '../live/follow.ts';
import { DayChart } from '../parts/day-chart.tsx';
import { count, counted, short } from '../parts/figures.ts';
import { FilterField } from '../parts/filter-field.tsx';
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
  const health = useFollowing<Resources['/api/health']>('/api/health', concerns);
  const text = route.value.query.get('q') ?? '';
  return (
    <View title="Sessions" about="Conversations with the CLIs, by the tag of their feature.">
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
      <Shown of={health} what="how it goes with the services">
        {(shown) => <Health of={shown} />}
      </Shown>
    </View>
  );
}

const fits = ({ tag, goal, tool, session_id: id }: SessionLine, text: string): boolean =>
  `${tag} ${goal ?? ''} ${tool} ${id}`.toLowerCase().includes(text);

function Lines({ of }: { of: readonly SessionLine[] }) {
  if (of.length === 0) return <Empty title="No session is like that">Take a word out of the filter.</Empty>;
  // A column that would say "unknown" in every row is left out.
  const hasTurns = of.some(({ turns }) => turns !== null);
  const hasContext = of.some(({ context_tokens: tokens }) => tokens !== null);
  const hasHealth = of.some(({ health }) => health !== 'unknown');
  const heads = [
    'Conversation',
    'CLI',
    ...(hasTurns ? [{ number: 'Turns' }] : []),
    ...(hasContext ? [{ number: 'Context' }] : []),
    ...(hasHealth ? ['Health'] : []),
    'Used',
  ];
  return (
    <Table label="Conversations" heads={heads}>
      {of.map((line) => (
        <tr key={`${line.tag} ${line.tool} ${line.session_id}`}>
          <th scope="row">
            {line.kept ? (
              <a href={to('sessions', line.session_id)} title={line.session_id}>
                <Words of={line.tag} />
              </a>
            ) : (
              <>
                <Words of={line.tag} /> <span class="dim">({line.tool} has not kept the conversation)</span>
              </>
            )}
            {line.goal !== null && (
              <p class="soft">
                <Words of={line.goal} />
              </p>
            )}
          </th>
          <td>{line.tool}</td>
          {hasTurns && <td class="number">{line.turns ?? 'unknown'}</td>}
          {hasContext && (
            <td class="number">{line.context_tokens === null ? 'unknown' : `${short(line.context_tokens)} tokens`}</td>
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

/** Each with the text of its legend. */
const KINDS = {
  unrecovered: 'not recovered',
  recovered: 'recovered',
  users: 'sign-in or quota',
  open: 'still open',
} as const;

const NAMES = Object.values(KINDS);

const KEYS = Object.keys(KINDS) as (keyof typeof KINDS)[];

function Health({ of: { days_without: without, last_unrecovered: last, days } }: { of: HealthShown }) {
  return (
    <Panel title="Health">
      <p>
        <b class="headline">{without === null ? 'No failure' : counted(without, 'day')}</b>{' '}
        {without === null ? (
          'that Tollgate could not recover was ever logged here.'
        ) : (
          <>
            without a failure that Tollgate could not recover; the last was <Ago at={last} />.
          </>
        )}
      </p>
      {days.length > 0 && (
        <div class="of-health">
          <DayChart
            title="Failures of the services"
            days={days.map((day) => ({
              day: day.day,
              values: Object.fromEntries(KEYS.map((kind) => [KINDS[kind], day[kind]])),
            }))}
            tools={NAMES}
            unit="failures"
            say={count}
          />
        </div>
      )}
    </Panel>
  );
}
