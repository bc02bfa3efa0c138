// Shows a fleet, read-only: lost tasks with the commands to copy, tasks of all machines, workers with their leases, limits.

import { toType } from '../../../policies/facts/next-action.ts';
import { shellWord } from '../../../policies/text/display.ts';
import type { FleetShown } from '../../contract/overviews.ts';
import { useFollowing } from '../live/follow.ts';
import { ActionList } from '../parts/actions.tsx';
import { count, counted, lasting, money, tokens } from '../parts/figures.ts';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Panel, Tile } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, now } from '../parts/times.tsx';
import { useEffect } from '../reactive.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';

/** A database tells no changes: while the view is shown, it is read so often. */
const LOOK_MS = 2_000;

export function FleetView() {
  const fleet = useFollowing<FleetShown>('/api/fleet', (topic) => topic === '*');
  useEffect(() => {
    let lookedAt = now.peek();
    return now.subscribe((at) => {
      // After a failure the page asks again by itself, at longer intervals.
      if (Math.abs(at - lookedAt) < LOOK_MS || fleet.problem.peek() !== null) return;
      lookedAt = at;
      fleet.renew();
    });
  }, []);
  const shown = fleet.value.value;
  return (
    <View
      title="Fleet"
      about={
        <>
          Tasks on all machines{shown && ', in the database '}
          {shown && <Words of={shown.place} />}. Read-only: its commands are to copy.
        </>
      }
    >
      <Shown of={fleet} what="the fleet">
        {(of) => <Sheet of={of} />}
      </Shown>
    </View>
  );
}

type Task = FleetShown['tasks'][number];

const TILES = [
  ['running', 'busy'],
  ['queued', 'calm'],
  ['lost', 'bad'],
  ['stopped', 'wait'],
  ['failed', 'bad'],
  ['cancelled', 'calm'],
  ['done', 'good'],
] as const;

function Sheet({ of }: { of: FleetShown }) {
  const { totals, tasks } = of;
  const isShort = tasks.length < totals.tasks;
  return (
    <>
      <div class="tiles">
        {TILES.map(([state, tone]) => (
          <Tile key={state} name={state} figure={count(totals[state] ?? 0)} tone={totals[state] ? tone : 'calm'} />
        ))}
      </div>
      {tasks
        .filter(isWithoutWorker)
        .slice(0, MOST_LOST)
        .map((task) => (
          <Lost key={task.id} of={task} />
        ))}
      <Panel title={isShort ? `${count(tasks.length)} of ${counted(totals.tasks, 'task')}` : 'Tasks'} edge="flush">
        {tasks.length === 0 ? (
          <Empty title="No task was submitted">
            <span>
              In a project: <code>tollgate submit TASK</code>
            </span>
          </Empty>
        ) : (
          <Table label="Tasks of the fleet" heads={TASK_HEADS}>
            {tasks.map((task) => (
              <TaskRow key={task.id} of={task} />
            ))}
          </Table>
        )}
      </Panel>
      <Workers of={of.workers} />
      <Limits of={of} />
    </>
  );
}

/** The others are in the table. */
const MOST_LOST = 5;

const isWithoutWorker = ({ state }: Task): boolean => state === 'lost' || state === 'stopped';

function Lost({ of: { id, task_id: name, state, lost_calls: calls } }: { of: Task }) {
  return (
    <section class="panel failure" aria-label={`${name} is ${state}`}>
      <p class="sentence">
        <Words of={name} />
        {state === 'lost' ? ' is lost: its worker no longer renewed its lease.' : ' is stopped: its worker was ended.'}
      </p>
      <p class="dim">
        number {id} in the fleet
        {calls > 0 && `, ${counted(calls, 'call')} may be paid without a result`}
      </p>
      <ActionList
        of={[
          toType(
            'start a worker on its machine, with the same folder: it continues, and pays nothing twice',
            'tollgate worker',
          ),
          toType(
            'or send it to another machine: a call that was lost is paid again',
            `tollgate submit ${shellWord(name)} --again`,
          ),
          toType('or give it up', `tollgate fleet cancel ${id}`),
        ]}
      />
    </section>
  );
}

const TASK_HEADS = [
  'Task',
  'State',
  'Machine',
  'Stage',
  { number: 'Calls' },
  { number: 'Tokens' },
  { number: 'Cost' },
  'Last',
  'What happened',
] as const;

function TaskRow({ of }: { of: Task }) {
  const note = of.class === null ? of.message : of.sentence;
  const calls = [
    of.lost_calls > 0 ? `${counted(of.lost_calls, 'lost call')} may be paid` : '',
    of.late_calls > 0 ? `${count(of.late_calls)} booked late` : '',
  ];
  return (
    <tr>
      <th scope="row" title={of.project}>
        <Words of={of.task_id} /> <span class="dim">{of.id}</span>
      </th>
      <td>
        <StateMark state={of.state} />
      </td>
      <td>{of.worker === null ? '–' : <Words of={of.worker} />}</td>
      <td>{of.stage === null ? '–' : <Words of={of.stage} />}</td>
      <td class="number nowrap">
        {count(of.calls.used)} of {count(of.calls.budget)}
      </td>
      <td class="number">{of.tokens === null ? '–' : tokens(of.tokens)}</td>
      <td class="number">{of.usd === null ? '–' : money(of.usd)}</td>
      <td>
        <Ago at={of.at} />
      </td>
      <td class="wide">
        <Words
          of={[note, ...calls]
            .filter((each) => each)
            .join('; ')
            .slice(0, 400)}
        />
      </td>
    </tr>
  );
}

const WORKER_HEADS = ['Worker', 'State', { number: 'Tasks' }, 'Lease', 'Version'] as const;

function Workers({ of }: { of: FleetShown['workers'] }) {
  return (
    <Panel title="Workers" edge="flush">
      {of.length === 0 ? (
        <Empty title="No worker is at work">
          <span>
            On a machine with the CLIs: <code>tollgate worker</code>
          </span>
        </Empty>
      ) : (
        <Table label="Workers" heads={WORKER_HEADS}>
          {of.map(({ id, name, version, draining, tasks, lease_seconds: lease }) => (
            <tr key={id}>
              <th scope="row">
                <Words of={name} />
              </th>
              <td>
                {lease < 0 ? (
                  <Mark tone="bad" word="gone" icon="broken" />
                ) : draining ? (
                  <Mark tone="wait" word="draining" icon="waiting" />
                ) : (
                  <Mark tone="good" word="at work" icon="done" />
                )}
              </td>
              <td class="number">{count(tasks)}</td>
              <td class="nowrap">
                {lease < 0 ? `over for ${lasting(-lease * 1_000)}` : `${lasting(lease * 1_000)} left`}
              </td>
              <td>
                <Words of={version} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const LIMIT_HEADS = ['Limit', { number: 'Used' }, { number: 'At the most' }, 'Hold'] as const;

function Limits({ of: { limits, budgets } }: { of: FleetShown }) {
  return (
    <Panel title="Limits and holds" edge="flush">
      {limits.length + budgets.length === 0 ? (
        <Empty title="No limit is set">
          <span>
            Such as: <code>tollgate fleet limits --day 500</code>
          </span>
        </Empty>
      ) : (
        <Table label="Limits of the fleet" heads={LIMIT_HEADS}>
          {budgets.map(({ scope, used, calls }) => (
            <tr key={scope}>
              <th scope="row">
                calls, <Words of={scope.replace(':', ' ')} />
              </th>
              <td class="number">{count(used)}</td>
              <td class="number">{calls === null ? 'no limit' : count(calls)}</td>
              <td>–</td>
            </tr>
          ))}
          {limits.map(
            ({ tool, account, running, at_once: most, per_minute: pace, held_seconds: held, hold_reason: why }) => (
              <tr key={`${tool}@${account}`}>
                <th scope="row">
                  <Words of={account === '' ? tool : `${tool}@${account}`} />
                </th>
                <td class="number nowrap">{count(running)} at once</td>
                <td class="number">
                  {[most === null ? '' : `${count(most)} at once`, pace === null ? '' : `${count(pace)} a minute`]
                    .filter(Boolean)
                    .join(', ') || 'no limit'}
                </td>
                <td>
                  {held > 0 ? (
                    <>
                      <span class="nowrap">
                        <Mark tone="wait" word="held" icon="waiting" /> for {lasting(held * 1_000)}:
                      </span>{' '}
                      <Words of={(why ?? 'no reason').replaceAll('_', ' ')} />
                    </>
                  ) : (
                    '–'
                  )}
                </td>
              </tr>
            ),
          )}
        </Table>
      )}
    </Panel>
  );
}
