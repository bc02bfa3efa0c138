// Shows what needs the user, with what to do, and what runs or waits now.

import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { NowCall, NowShown, NowTask, NowWait } from '../../contract/overviews.ts';
import type { TaskLine } from '../../contract/page.ts';
import type { Resources } from '../../contract/resources.ts';
import { keyOf, nextOf, WayOut } from '../failures/failures-view.tsx';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { ActionButton } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted, short } from '../parts/figures.ts';
import { ClassMark, CostFigure, StateMark, wordOf } from '../parts/mark.tsx';
import { Panel, Tile } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Ago, Countdown, Elapsed, Limited } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { againOf, RerunDialog } from '../tasks/rerun.tsx';
import {
  everyLine,
  lineOf,
  NEEDS_YOU,
  needsWords,
  needsYou,
  reasonOf,
  signedOut,
  signedOutOf,
} from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { Answered, QuestionRow } from './questions.tsx';

export function NowView() {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  return (
    <View title="Now" about="What needs you, and what runs.">
      <Shown of={now} what="what runs now">
        {(shown) => <NowSheet now={shown} />}
      </Shown>
    </View>
  );
}

const tasksIn = (state: string): string => `${to('tasks')}?state=${state}`;

const NEEDING = tasksIn(NEEDS_YOU);

/** The states that have no tile, in the order of the line. */
const OTHERS = ['done', 'never_run'] as const satisfies readonly (keyof NowShown['totals'])[];

function NowSheet({ now }: { now: NowShown }) {
  const { tasks, totals, answered } = now;
  const stopping = useSignal<NowTask | null>(null);
  const needing = everyLine().filter(needsYou);
  const isBarred = signedOutOf(needing.map(({ task_id: id }) => id)).length > 0;
  const running = tasks.filter(({ state }) => state === 'running');
  const last = tasks.filter(({ state }) => state === 'done').slice(0, 12);
  return (
    <>
      <div class="tiles first">
        <Tile
          name={needing.length === 1 ? 'needs you' : 'need you'}
          figure={
            <>
              {count(needing.length)}
              {needing.length > 0 && <span class="beside">{needsWords(needing)}</span>}
            </>
          }
          tone={needing.length > 0 ? 'wait' : 'calm'}
          leads={NEEDING}
        />
        <Tile
          name="running"
          figure={count(totals.running)}
          tone={totals.running > 0 ? 'busy' : 'calm'}
          leads={tasksIn('running')}
        />
        <Tile name="cost today (UTC)" figure={<Today />} leads={`${to('budgets')}?unit=usd`} />
      </div>
      <p class="dim">
        {OTHERS.filter((state) => totals[state] > 0).map((state) => (
          <span key={state}>
            <a href={tasksIn(state)}>
              {count(totals[state])} {wordOf(state)}
            </a>
            ,{' '}
          </span>
        ))}
        <a href={to('tasks')}>{counted(totals.tasks, 'task')} in all</a>
      </p>
      {signedOut.value.length > 0 && (
        <p class="notice wait">
          <span>
            <b>No sign-in was found</b> for <Words of={signedOut.value.join(', ')} />. Their calls may fail.
          </span>
          <a class={`button ${isBarred ? 'main' : ''}`} href={to('machine')}>
            Sign in on Machine
          </a>
        </p>
      )}
      <NeedsYou now={now} needing={needing} hasMain={!isBarred} />
      {answered.length > 0 && <Answered of={answered} />}
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
        {last.length > 0 && (
          <Panel title="Lately done" edge="flush" aside={<a href={to('tasks')}>All tasks</a>}>
            <ul class="lately">
              {last.map(({ task_id: id, state, since }) => (
                <li key={id}>
                  <StateMark state={state} />
                  <span class="cut">
                    <a href={to('tasks', id)}>
                      <Words of={id} />
                    </a>{' '}
                    <span class="soft">
                      <Words of={lineOf(id)?.value.goal ?? ''} />
                    </span>
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
      {stopping.value && <StopDialog task={stopping.value.task_id} onClose={() => (stopping.value = null)} />}
    </>
  );
}

const MOST = 5;

interface NeedsYouProps {
  now: NowShown;
  needing: readonly TaskLine[];
  /** Whether what to do about the first of them is the next step of the page. */
  hasMain: boolean;
}

/** What waits for the user: questions, failures by cause, and tasks whose run ended early; each with what to do. */
function NeedsYou({ now: { questions, answered, still_running: still }, needing, hasMain }: NeedsYouProps) {
  const rerun = useSignal<readonly string[] | null>(null);
  const failures = useFollowing<Resources['/api/failures']>(
    '/api/failures',
    (topic) => topic === 'tasks' || topic === '*',
  );
  const groups = failures.value.value?.groups;
  const known = new Set([
    ...[...answered, ...questions.map(({ task_id: id }) => id)],
    ...(groups ?? []).flatMap(({ task_ids: ids }) => ids),
  ]);
  const others = groups === undefined ? [] : needing.filter(({ task_id: id }) => !known.has(id));
  const isEmpty = questions.length + others.length + (groups ?? []).length === 0;
  const first = hasMain ? (questions[0] ?? nextOf(groups ?? []) ?? others[0]) : undefined;
  return (
    <>
      {!isEmpty && (
        <Panel title="Needs you" edge="flush" aside={<a href={NEEDING}>All {count(needing.length)}</a>}>
          <ul class="lately">
            {questions.map((question) => (
              <QuestionRow key={question.task_id} of={question} isMain={question === first} />
            ))}
            {(groups ?? []).slice(0, MOST).map((group) => (
              <li key={keyOf(group)}>
                <ClassMark class={group.class} reason={group.reason} />
                <div class="do">
                  <a href={`${to('failures')}?of=${partOf(keyOf(group))}`}>
                    <Words of={group.sentence} />
                  </a>
                  <p>
                    <NamesOf of={group.task_ids} />
                  </p>
                  <WayOut of={group} isMain={group === first} onRerun={(ids) => (rerun.value = ids)} />
                </div>
                <span class="dim">
                  <Ago at={group.last_seen} />
                </span>
              </li>
            ))}
            {others.slice(0, MOST).map((line) => (
              <li key={line.task_id}>
                <StateMark state={line.state} />
                <div class="do">
                  <a href={to('tasks', line.task_id)}>
                    <Words of={line.task_id} />
                  </a>
                  <p class="soft">
                    <Words of={reasonOf(line)} />
                  </p>
                  {still.some(({ task_id: id }) => id === line.task_id) && (
                    <StillRuns tool={still.find(({ task_id: id }) => id === line.task_id)!.tool} />
                  )}
                  {line.state === 'interrupted' && (
                    <ActionButton of={againOf(line.task_id, line.state)} isMain={line === first} />
                  )}
                </div>
                <span class="dim">
                  <Ago at={line.at} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {/* Remains when the started tasks no longer fail. */}
      {rerun.value && <RerunDialog ids={rerun.value} onClose={() => (rerun.value = null)} />}
    </>
  );
}

/** Of an interrupted task: what may cost more, before anything else is done about the task. */
export function StillRuns({ tool = 'A process', isMain = false }: { tool?: string | undefined; isMain?: boolean }) {
  return (
    <p class="still-runs">
      <b class="wait-text">
        <Words of={tool} /> still runs and may cost more.
      </b>{' '}
      <a class={`button small ${isMain ? 'main' : ''}`} href={to('machine')}>
        Stop it on Machine
      </a>
    </p>
  );
}

/** Of the tasks that failed for one cause. */
function NamesOf({ of }: { of: readonly string[] }) {
  return (
    <>
      <span class="soft">{counted(of.length, 'task')}: </span>
      {of.slice(0, MOST).map((id, nth) => (
        <span key={id}>
          {nth > 0 && ', '}
          <a href={to('tasks', id)}>
            <Words of={id} />
          </a>
        </span>
      ))}
      {of.length > MOST && <span class="soft"> and {count(of.length - MOST)} more</span>}
    </>
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
  const calls = used.reduce((sum, each) => sum + each.calls, 0);
  return <CostFigure usd={usd} without={without} calls={calls} />;
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
    <ul class="lately">
      {tasks.map((task) => (
        <li key={task.task_id} class="work">
          <StateMark state={task.waits === null ? task.state : 'waiting'} />
          <div class="do">
            <p>
              <a href={to('tasks', task.task_id)}>
                <Words of={task.task_id} />
              </a>{' '}
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
            </p>
            {task.running.map((call) => (
              <CallOf key={call.call_id} call={call} />
            ))}
            {task.waits && (
              <p class="soft">
                <WaitOf wait={task.waits} />
              </p>
            )}
          </div>
          <button type="button" class="button small grave" onClick={() => onStop(task)}>
            Stop<span class="unseen"> {task.task_id}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function CallOf({ call }: { call: NowCall }) {
  return (
    <p class="soft">
      <b>{call.tool}</b> works on <Words of={call.stage} />
      {call.stand_ins.length > 0 && (
        <>
          , asked
          <Words of={inPlaceWords(call.stand_ins)} />
        </>
      )}
      {call.attempt > 1 && `, attempt ${call.attempt}`},{' '}
      <Limited of={{ at: call.since, deadline_at: call.deadline_at }} />
      {'; '}
      {call.last === null ? 'nothing said yet' : <Words of={`last: ${call.last}`} />}
    </p>
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
