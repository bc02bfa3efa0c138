// Shows what needs the user, with what to do, and what runs or waits now.

import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { NowCall, NowShown, NowTask, NowWait } from '../../contract/overviews.ts';
import type { TaskLine } from '../../contract/page.ts';
import type { Resources } from '../../contract/resources.ts';
import { keyOf, nextOf, WayOut } from '../failures/failures-view.tsx';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { StillRuns } from '../machine/machine-view.tsx';
import { ActionButton } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted, short } from '../parts/figures.ts';
import { ClassMark, CostToday, StateMark, wordOf } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown, SignInNotice } from '../parts/shown.tsx';
import { Ago, Countdown, now as clock, Elapsed, Heard } from '../parts/times.tsx';
import { type ComponentChildren, useEffect, useRef, useSignal } from '../reactive.ts';
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
  signedOutWords,
} from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { Answered, NeedRow, QuestionRow } from './questions.tsx';

export function NowView() {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  return (
    <View title="Now">
      <Shown of={now} what="what runs now">
        {(shown) => <NowSheet now={shown} renew={now.renew} />}
      </Shown>
    </View>
  );
}

const tasksIn = (state: string): string => `${to('tasks')}?state=${state}`;

const NEEDING = tasksIn(NEEDS_YOU);

/** The states that have no tile, in the order of the line. */
const OTHERS = ['done', 'never_run'] as const satisfies readonly (keyof NowShown['totals'])[];

function NowSheet({ now, renew }: { now: NowShown; renew: () => void }) {
  const { tasks, totals, answered } = now;
  const stopping = useSignal<NowTask | null>(null);
  const needing = everyLine().filter(needsYou);
  const isBarred = signedOutOf(needing.map(({ task_id: id }) => id)).length > 0;
  const running = tasks.filter(({ state }) => state === 'running');
  const last = tasks.filter(({ state }) => state === 'done').slice(0, 12);
  return (
    <>
      <ul class="strip">
        <Sum n={needing.length} tone="wait" leads={NEEDING} says={needsWords(needing)}>
          {needing.length === 1 ? 'needs you' : 'need you'}
        </Sum>
        <Sum n={totals.running} tone="busy" leads={tasksIn('running')}>
          running
        </Sum>
        <li>
          <a href={`${to('budgets')}?unit=usd`}>
            <Today />
          </a>
        </li>
        {OTHERS.filter((state) => totals[state] > 0).map((state) => (
          <Sum key={state} n={totals[state]} leads={tasksIn(state)}>
            {wordOf(state)}
          </Sum>
        ))}
        <Sum n={totals.tasks} leads={to('tasks')}>
          {totals.tasks === 1 ? 'task in all' : 'tasks in all'}
        </Sum>
      </ul>
      {signedOut.value.length > 0 && (
        <SignInNotice title={signedOutWords()} isMain={isBarred}>
          Their calls may fail.
        </SignInNotice>
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
            <Running tasks={running} heard={now.heard} onStop={(task) => (stopping.value = task)} renew={renew} />
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

interface SumProps {
  n: number;
  leads: string;
  tone?: 'wait' | 'busy' | 'calm';
  /** What it consists of. */
  says?: string;
  children: ComponentChildren;
}

/** A number of tasks, which leads to them. */
const Sum = ({ n, leads, tone = 'calm', says = '', children }: SumProps) => (
  <li>
    <a href={leads}>
      <b class={n > 0 ? `${tone}-text` : ''}>{count(n)}</b> {children}
      {says !== '' && <span class="dim"> ({says})</span>}
    </a>
  </li>
);

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
              <NeedRow
                key={keyOf(group)}
                mark={<ClassMark class={group.class} reason={group.reason} />}
                title={<NamesOf of={group.task_ids} />}
                at={group.last_seen}
              >
                <a href={`${to('failures')}?of=${partOf(keyOf(group))}`}>
                  <Words of={group.sentence} />
                </a>
                <WayOut of={group} isMain={group === first} onRerun={(ids) => (rerun.value = ids)} />
              </NeedRow>
            ))}
            {others.slice(0, MOST).map((line) => (
              <NeedRow
                key={line.task_id}
                mark={<StateMark state={line.state} />}
                title={<NamesOf of={[line.task_id]} />}
                at={line.at}
              >
                <p class="soft">
                  <Words of={reasonOf(line)} />
                </p>
                {still.some(({ task_id: id }) => id === line.task_id) && (
                  <StillRuns tool={still.find(({ task_id: id }) => id === line.task_id)!.tool} />
                )}
                {line.state === 'interrupted' && (
                  <ActionButton of={againOf(line.task_id, line.state)} isMain={line === first} />
                )}
              </NeedRow>
            ))}
          </ul>
        </Panel>
      )}
      {/* Remains when the started tasks no longer fail. */}
      {rerun.value && <RerunDialog ids={rerun.value} onClose={() => (rerun.value = null)} />}
    </>
  );
}

/** Of the tasks that failed for one cause. */
function NamesOf({ of }: { of: readonly string[] }) {
  return (
    <>
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
  if (spent.value.value === null) return <>… today</>;
  const used = Object.values(spent.value.value.days.at(-1)?.by_tool ?? {});
  const usd = used.reduce((sum, each) => sum + each.usd, 0);
  const without = used.reduce((sum, each) => sum + each.calls_without_price, 0);
  const calls = used.reduce((sum, each) => sum + each.calls, 0);
  return <CostToday usd={usd} without={without} calls={calls} />;
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
  heard: NowShown['heard'];
  onStop: (task: NowTask) => void;
  /** Reads all of it again. */
  renew: () => void;
}

/** A CLI can write without a change that is told. */
const RENEWED_MS = 10_000;

function Running({ tasks, heard, onStop, renew }: RunningProps) {
  const turn = Math.floor(clock.value / RENEWED_MS);
  const last = useRef(turn);
  useEffect(() => {
    if (turn !== last.current) renew();
    last.current = turn;
  }, [turn]);
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
              <CallOf key={call.call_id} call={call} heard={heard[call.call_id] ?? null} />
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

/** @param heard when its CLI last wrote something; null if it has not. */
function CallOf({ call, heard }: { call: NowCall; heard: string | null }) {
  return (
    <p class="soft">
      <b>{call.tool}</b> works on <Words of={call.stage} />
      {call.stand_ins.length > 0 && (
        <>
          , asked
          <Words of={inPlaceWords(call.stand_ins)} />
        </>
      )}
      {call.attempt > 1 && `, attempt ${call.attempt}`}, for <Elapsed from={call.since} />
      {'; '}
      <Heard at={heard} until={call.deadline_at}>
        <Words of={call.last ?? 'something that has no words'} />
      </Heard>
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
