// Shows what runs now, what is queued or waits for a reset, and what is parked with a question.

import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { NowCall, NowShown, NowTask, NowWait } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { keyOf } from '../failures/failures-view.tsx';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { Advice } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted, money, short } from '../parts/figures.ts';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Panel, Tile } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Ago, Countdown, Elapsed } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { lineOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { Answered, Questions } from './questions.tsx';

export function NowView() {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  return (
    <View title="Now" about="Running, waiting and open questions.">
      <Shown of={now} what="what runs now">
        {(shown) => <NowSheet now={shown} />}
      </Shown>
    </View>
  );
}

function NowSheet({ now: { tasks, totals, questions, answered } }: { now: NowShown }) {
  const stopping = useSignal<NowTask | null>(null);
  const running = tasks.filter(({ state }) => state === 'running');
  const waiting = running.filter(({ waits }) => waits !== null);
  const last = tasks.filter(({ state }) => state !== 'running' && state !== 'never_run').slice(0, 12);
  const failed = totals.failed + totals.refused;
  return (
    <>
      <div class="tiles">
        <Tile
          name="running"
          figure={count(running.length - waiting.length)}
          tone={running.length > waiting.length ? 'busy' : 'calm'}
        />
        <Tile name="waiting" figure={count(waiting.length)} tone={waiting.length > 0 ? 'wait' : 'calm'} />
        <Tile name="questions" figure={count(questions.length)} tone={questions.length > 0 ? 'wait' : 'calm'} />
        <Tile name="failed" figure={count(failed)} tone={failed > 0 ? 'bad' : 'calm'} leads={to('failures')} />
        <Tile name="done" figure={count(totals.done)} leads={`${to('tasks')}?state=done`} />
        {totals.interrupted > 0 && (
          <Tile name="interrupted" figure={count(totals.interrupted)} leads={`${to('tasks')}?state=interrupted`} />
        )}
        {totals.never_run > 0 && (
          <Tile name="never run" figure={count(totals.never_run)} leads={`${to('tasks')}?state=never_run`} />
        )}
        <Tile name="tasks in all" figure={count(totals.tasks)} leads={to('tasks')} />
        <Tile name="cost today (UTC)" figure={<Today />} leads={`${to('budgets')}?unit=usd`} />
      </div>
      {questions.length > 0 && <Questions of={questions} />}
      {answered.length > 0 && <Answered of={answered} />}
      {running.length === 0 && failed > 0 && <Failures />}
      <div class="now-columns">
        <Panel title="At work" edge="flush">
          {running.length === 0 ? (
            <Empty title="Nothing runs">
              <span>A task that runs is shown here at once.</span>
              <div class="buttons">
                <a class="button" href={to('tasks')}>
                  Choose a task to run
                </a>
                <a class="button" href={to('new')}>
                  New task
                </a>
              </div>
            </Empty>
          ) : (
            <Running tasks={running} onStop={(task) => (stopping.value = task)} />
          )}
        </Panel>
        <div class="stack">
          {running.length > 0 && failed > 0 && <Failures />}
          {last.length > 0 && (
            <Panel title="Lately" edge="flush" aside={<a href={to('tasks')}>All tasks</a>}>
              <ul class="lately">
                {last.map(({ task_id: id, state, since }) => (
                  <li key={id}>
                    <StateMark state={state} />
                    <a href={to('tasks', id)} class="cut">
                      <Words of={id} />
                    </a>
                    <span class="cut soft">
                      <Words of={lineOf(id)?.value.why ?? ''} />
                    </span>
                    <span class="dim">
                      <Ago at={since} />
                    </span>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
        </div>
      </div>
      {stopping.value && <StopDialog task={stopping.value.task_id} onClose={() => (stopping.value = null)} />}
    </>
  );
}

const MOST_FAILURES = 5;

/** The most frequent causes. */
function Failures() {
  const failures = useFollowing<Resources['/api/failures']>(
    '/api/failures',
    (topic) => topic === 'tasks' || topic === '*',
  );
  const groups = failures.value.value?.groups ?? [];
  if (groups.length === 0) return null;
  return (
    <Panel title="Failures" edge="flush" aside={<a href={to('failures')}>All failures</a>}>
      <ul class="lately causes">
        {groups.slice(0, MOST_FAILURES).map((group) => (
          <li key={keyOf(group)}>
            <Mark tone="bad" word={group.class} icon="failed" />
            <a href={`${to('failures')}?of=${partOf(keyOf(group))}`} class="cut">
              <Words of={group.sentence} />
            </a>
            <span class="cut soft">{counted(group.task_ids.length, 'task')}</span>
            <span class="dim">
              <Ago at={group.last_seen} />
            </span>
            {group.next_action && (
              <span class="soft do">
                <Advice of={group.next_action} failedAt={group.last_seen} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Is read after the rest: it needs the record of each call. */
function Today() {
  const spent = useFollowing<Resources['/api/spent']>(
    '/api/spent',
    (topic) => topic === 'now' || topic === 'budgets' || topic === '*',
  );
  if (spent.value.value === null) return <>…</>;
  const used = Object.values(spent.value.value.days.at(-1)?.by_tool ?? {});
  const usd = used.reduce((sum, each) => sum + each.usd, 0);
  const without = used.reduce((sum, each) => sum + each.calls_without_price, 0);
  return (
    <>
      {usd === 0 && without > 0 ? 'unknown' : money(usd)}
      {without > 0 && <span class="beside"> + {counted(without, 'call')} of unknown price</span>}
    </>
  );
}

export function StopDialog({ task: id, onClose }: { task: string; onClose: () => void }) {
  return (
    <Confirm
      title={
        <>
          Stop <Words of={id} />?
        </>
      }
      verb="Stop it"
      tone="grave"
      act={() => change('/api/stop', { task: id })}
      onClose={onClose}
    >
      <p>
        The running call is ended, and its cost so far is recorded. Finished stages stay finished; a rerun continues
        from there.
      </p>
    </Confirm>
  );
}

/** Shows the running tasks: each call with its CLI, how long it has run, and its last action. */
interface RunningProps {
  tasks: readonly NowTask[];
  onStop: (task: NowTask) => void;
}

function Running({ tasks, onStop }: RunningProps) {
  return (
    <ul class="works">
      {tasks.map((task) => (
        <li key={task.task_id} class="work">
          <div class="work-head">
            <StateMark state={task.waits === null ? task.state : 'waiting'} />
            <a href={to('tasks', task.task_id)}>
              <Words of={task.task_id} />
            </a>
            <span class="dim">
              {task.since && (
                <>
                  for <Elapsed from={task.since} />,{' '}
                </>
              )}
              {counted(task.calls.used, 'call')}
              {task.calls.budget !== null && ` of ${task.calls.budget}`}
              {task.tokens !== null && `, ${short(task.tokens)} tokens`}
            </span>
            <button type="button" class="button small grave" onClick={() => onStop(task)}>
              Stop<span class="unseen"> {task.task_id}</span>
            </button>
          </div>
          {task.running.map((call) => (
            <CallOf key={call.call_id} call={call} />
          ))}
          {task.waits && (
            <p class="soft">
              <WaitOf wait={task.waits} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function CallOf({ call }: { call: NowCall }) {
  return (
    <div class="work-call">
      <Mark tone="busy" word={call.tool} icon="busy" />
      <span>
        <Words of={call.stage} />
        {call.stand_ins.length > 0 && (
          <span class="dim">
            , asked
            <Words of={inPlaceWords(call.stand_ins)} />
          </span>
        )}
        {call.attempt > 1 && <span class="dim">, attempt {call.attempt}</span>}
      </span>
      <span class="dim">
        <Elapsed from={call.since} />, limit in <Countdown to={call.deadline_at} />
      </span>
      <span class="cut soft">{call.last === null ? 'nothing said yet' : <Words of={call.last} />}</span>
    </div>
  );
}

function WaitOf({ wait }: { wait: NowWait }) {
  if (wait.what === 'time')
    return (
      <>
        <Words of={wait.stage} /> goes on in <Countdown to={wait.until} />
      </>
    );
  return (
    <>
      <Words of={wait.stage} /> waits for its {wait.what} behind <Words of={wait.behind.slice(0, 3).join(', ')} />
      {wait.behind.length > 3 && ` and ${wait.behind.length - 3} more`}
    </>
  );
}
