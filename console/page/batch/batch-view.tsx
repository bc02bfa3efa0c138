// Shows one batch: what failed and what to do, then its tasks; of one that runs their state as it changes.

import { type NextAction, toType } from '../../../policies/facts/next-action.ts';
import { firstNames } from '../../../policies/text/display.ts';
import type { BatchShown } from '../../contract/overviews.ts';
import type { Resources, ResourcesOf } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { ActionList, earliestOf, firstToDo, howToSignIn, isRerun, Sentence } from '../parts/actions.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted, lasting, listed } from '../parts/figures.ts';
import { ClassMark, Mark, StateMark, wordOf } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Elapsed, From } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { RerunButton, RerunDialog } from '../tasks/rerun.tsx';
import { countStates, lineOf, signedOutOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

export const concerns = (topic: string) => topic === '*' || topic === 'batch';

export type BatchHead = Resources['/api/batch']['batches'][number];

const NAMED = 2;

export const nameOf = ({ task_ids: ids, batch_id: id }: Pick<BatchHead, 'task_ids' | 'batch_id'>): string =>
  firstNames(ids, NAMED) || id;

/** Until there is a report, the tasks that are done now. */
export const doneOf = ({ totals, task_ids: ids }: Pick<BatchHead, 'task_ids' | 'totals'>): number =>
  totals?.done ?? ids.filter(isDone).length;

export function Lasted({ of: { totals, state, at } }: { of: Pick<BatchHead, 'totals' | 'state' | 'at'> }) {
  if (totals !== null) return <>{lasting(totals.duration_ms)}</>;
  return state === 'running' && at !== null ? <Elapsed from={at} /> : <>–</>;
}

export function BatchView({ id }: { id: string }) {
  const batch = useFollowing<ResourcesOf['batch']>(`/api/batch/${partOf(id)}`, concerns);
  const shown = batch.value.value;
  return (
    <View
      crumbs={<a href={to('batch')}>Batches</a>}
      title={<Words of={shown === null ? id : nameOf(shown)} />}
      beside={
        <>
          <CopyButton text={id} name="Copy id" look="icon" />
          {shown && <StateMark state={shown.state} />}
        </>
      }
      about={shown?.totals && splitOf(shown)}
      aside={shown && <MainAction of={shown} />}
      facts={shown ? factsOf(shown) : undefined}
    >
      <Shown of={batch} what="the batch" list={{ name: 'All batches', address: to('batch') }}>
        {(of) => (of.totals === null ? <OpenSheet of={of} /> : <Sheet of={of} />)}
      </Shown>
    </View>
  );
}

function factsOf(of: BatchShown) {
  const { at, totals, task_ids: ids } = of;
  const counts = countStates(ids.flatMap((id) => lineOf(id)?.value ?? []));
  return [
    ['Done', `${count(doneOf(of))} of ${counted(totals?.tasks ?? ids.length, 'task')}`],
    ...(totals === null
      ? (['failed', 'running'] as const).flatMap((each) =>
          counts.has(each) ? [[wordOf(each), count(counts.get(each)!)] as const] : [],
        )
      : [['Paid calls', count(totals.calls)] as const]),
    ['Time', <Lasted key="time" of={of} />],
    ...(at === null ? [] : ([['Begun', <Ago key="at" at={at} />]] as const)),
  ] as const;
}

/** Which of its tasks its button reruns, while the others wait. */
function splitOf(of: BatchShown) {
  const { isSplit, now, waiting, earliest, isPrepared } = standingOf(of);
  if (!isSplit) return undefined;
  if (now.some((id) => signedOutOf([id]).length === 0))
    return (
      <Words
        of={`${firstNames(now, NAMED)} can be rerun ${isPrepared ? 'now' : 'after the steps below'}, the other ${waiting.length} later.`}
      />
    );
  return (
    <>
      <Words of={`Sign in ${needsOf([...now, ...waiting]).join(', ')}.`} /> The other {count(waiting.length)}:{' '}
      <From verb="rerun" at={earliest!} />.
    </>
  );
}

/** The sign-ins that lack, each with its tasks: `to codex for rotate-keys`. */
function needsOf(ids: readonly string[]): string[] {
  const tasks = new Map<string, string[]>();
  for (const id of ids) {
    const out = listed(signedOutOf([id]));
    if (out !== '') tasks.set(out, [...(tasks.get(out) ?? []), id]);
  }
  return [...tasks].map(([out, those]) => `to ${out} for ${firstNames(those, NAMED)}`);
}

function MainAction({ of }: { of: BatchShown }) {
  const { batch_id: id, state } = of;
  const isStopping = useSignal(false);
  const rerunning = useSignal<readonly string[] | null>(null);
  const { open, isReady, isBarred, earliest, isSplit } = standingOf(of);
  return (
    <>
      {of.totals !== null && of.failures.length !== 1 && open.length > 0 && !isSplit && (
        <RerunButton
          ids={open}
          name="the batch"
          isMain={isReady || isBarred}
          earliest={earliest}
          isAlone
          onRerun={(ids) => (rerunning.value = ids)}
        />
      )}
      {isSplit && isBarred && (
        <span class="action">
          <a class="button main" href={`${to('machine')}?of=${signedOutOf(open)[0]}`}>
            {howToSignIn(signedOutOf(open))}
          </a>
        </span>
      )}
      {rerunning.value !== null && <RerunDialog ids={rerunning.value} onClose={() => (rerunning.value = null)} />}
      {state === 'running' && (
        <button type="button" class="button grave" onClick={() => (isStopping.value = true)}>
          Stop<span class="unseen"> the batch</span>
        </button>
      )}
      {isStopping.value && (
        <Confirm
          title="Stop the batch?"
          verb="Stop it"
          tone="grave"
          act={() => change('/api/batch/stop', { batch: id })}
          onClose={() => (isStopping.value = false)}
        >
          <p>
            The running calls are ended, and their cost so far is recorded. No further task is begun. Finished stages
            stay finished.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Of a batch without a report: its tasks as they are now. */
function OpenSheet({ of }: { of: BatchShown }) {
  return (
    <>
      {of.state !== 'running' && (
        <section class="panel failure" aria-label="How it ended">
          <p class="sentence">The process of this batch ended without a report, so no more of its tasks are begun.</p>
          <ActionList of={of.next_actions} />
        </section>
      )}
      <Tasks of={of} />
    </>
  );
}

function Sheet({ of }: { of: BatchShown }) {
  const rerunning = useSignal<readonly string[] | null>(null);
  const { open, causes, isReady, isBarred, first } = standingOf(of);
  const isOneCause = causes.length === 1;
  const inTerminal = causes.length === 0 ? of.next_actions : of.next_actions.filter(({ pays }) => pays);
  const rerun = (ids: readonly string[]) => {
    rerunning.value = ids;
  };
  return (
    <>
      {(of.failures.length > 0 || open.length > 0) && (
        <section class="panel failure" aria-label="What is not done">
          {!isOneCause && <p class="sentence">{headline(of, open.length)}</p>}
          {causes.map((cause) => (
            <Cause
              key={`${cause.of.sentence} ${cause.of.task_ids[0]}`}
              {...cause}
              isAlone={isOneCause}
              hasMain={cause === first && (isOneCause || (!isReady && !isBarred))}
              onRerun={rerun}
            />
          ))}
          {open.length > 0 && inTerminal.length > 0 && (
            <details class="cause">
              <summary>In a terminal</summary>
              <ActionList of={inTerminal} hasMain={false} />
            </details>
          )}
        </section>
      )}
      {of.notes.map((note) => (
        <p key={note} class="notice">
          <Sentence of={note} />
        </p>
      ))}
      <Tasks of={of} />
      {rerunning.value !== null && <RerunDialog ids={rerunning.value} onClose={() => (rerunning.value = null)} />}
    </>
  );
}

/** What is not done now, whether all of it can be rerun, and whether a sign-in comes first. */
function standingOf({ tasks, failures }: BatchShown) {
  const open = tasks.flatMap(({ task_id: id, state }) => (state !== 'done' && !isDone(id) ? [id] : []));
  const causes = failures.map(causeOf);
  const current = causes.filter((cause) => cause.open.length > 0);
  const earliest = current.find((cause) => cause.earliest !== null)?.earliest ?? null;
  const waiting = current.flatMap((cause) => (cause.earliest === null ? [] : cause.open));
  const now = open.filter((task) => !waiting.includes(task));
  const isSplit = now.length > 0 && waiting.length > 0;
  // Nothing is to be done before the rerun of those that need not wait.
  const isPrepared = current.every(({ steps: [first], earliest: wait }) => wait !== null || isRerun(first!));
  const isReady = earliest === null && isPrepared;
  const first = current.find(({ steps, failedAt }) => firstToDo(steps, failedAt) !== undefined);
  const isBarred = signedOutOf(isSplit ? now : open).length > 0;
  return { open, causes, earliest, waiting, now, isSplit, isPrepared, isReady, isBarred, first };
}

/** @param open how many tasks are not done now. */
function headline({ failures, totals }: BatchShown, open: number): string {
  const tasks = counted(totals!.tasks, 'task');
  if (open === 0) return `All ${tasks} are done now.`;
  const causes = failures.length === 0 ? '' : `, for ${counted(failures.length, 'cause')}`;
  return `${count(open)} of ${tasks} ${open === 1 ? 'is' : 'are'} not done${causes}.`;
}

export const isDone = (id: string): boolean => lineOf(id)?.value.state === 'done';

interface BatchCause {
  of: BatchShown['failures'][number];
  /** Its tasks that are not done now. */
  open: readonly string[];
  /** One of them is a rerun. */
  steps: readonly NextAction[];
  failedAt: string | null;
  /** The time before which the service refuses the rerun; null if that is over. */
  earliest: string | null;
}

function causeOf(of: BatchShown['failures'][number]): BatchCause {
  const { task_ids: ids, next_actions: actions } = of;
  const again = actions.some(isRerun) ? [] : [toType('then run again', `tollgate run ${ids[0]}`, 'pays')];
  const steps = [...actions, ...again];
  const times = ids.flatMap((id) => lineOf(id)?.value.at ?? []);
  const failedAt = times.sort().at(-1) ?? null;
  const earliest = earliestOf(steps.find(isRerun)!, failedAt);
  return { of, open: ids.filter((id) => !isDone(id)), steps, failedAt, earliest };
}

interface CauseProps extends BatchCause {
  /** Whether its sentence is the heading of the card. */
  isAlone: boolean;
  hasMain: boolean;
  onRerun: (ids: readonly string[]) => void;
}

function Cause({ of, open, steps, failedAt, isAlone, hasMain, onRerun }: CauseProps) {
  const { sentence, class: errorClass, reason, count: n, task_ids: ids } = of;
  return (
    <section class="cause" aria-label={sentence}>
      <p class={isAlone ? 'sentence' : 'strong'}>
        <Words of={sentence} />
      </p>
      <ul class="chips">
        <li>
          {errorClass === null ? (
            <Mark tone="bad" word="failed" icon="failed" />
          ) : (
            <ClassMark class={errorClass} reason={reason} />
          )}
        </li>
        {ids.map((id) => (
          <li key={id}>
            <a class="chip" href={to('tasks', id)}>
              <Words of={id} />
            </a>
          </li>
        ))}
        {n > ids.length && <li class="dim">and {count(n - ids.length)} more</li>}
      </ul>
      {open.length > 0 && (
        <ActionList
          of={steps}
          hasMain={hasMain}
          failedAt={failedAt}
          tasks={open}
          rerun={(look) => <RerunButton ids={open} name={ids[0]!} {...look} onRerun={onRerun} />}
        />
      )}
    </section>
  );
}

const WHAT = ['What happened', { number: 'Paid calls' }, { number: 'Last' }] as const;
const HEADS = { open: ['Task', 'State', ...WHAT], ended: ['Task', 'In the batch', 'Now', ...WHAT] } as const;

function Tasks({ of: { totals, tasks, task_ids: ids } }: { of: BatchShown }) {
  return (
    <Panel title="Tasks" edge="flush">
      <Table label="Tasks of the batch" heads={totals === null ? HEADS.open : HEADS.ended}>
        {totals === null
          ? ids.map((id) => <Row key={id} id={id} reported={null} />)
          : tasks.map((task) => <Row key={task.task_id} id={task.task_id} reported={task} />)}
      </Table>
    </Panel>
  );
}

/** Of what happened to a task, in a table. */
export const MOST_WHY = 400;

/** @param reported the task at the end of the batch; until then, the task as it is now is shown. */
function Row({ id, reported }: { id: string; reported: BatchShown['tasks'][number] | null }) {
  const now = lineOf(id)?.value;
  const shown = reported ?? (now && { ...now, calls: now.calls.used });
  return (
    <tr>
      <th scope="row">
        <a href={to('tasks', id)}>
          <Words of={id} />
        </a>
      </th>
      {reported && (
        <td>
          <StateMark state={reported.state} />
        </td>
      )}
      <td>{now ? <StateMark state={now.state} /> : <Mark tone="calm" word="not in this project" icon="none" />}</td>
      <td class="wide">{shown?.why && <Words of={shown.why.slice(0, MOST_WHY)} />}</td>
      <td class="number">{shown === undefined ? '–' : count(shown.calls)}</td>
      <td class="number dim">{now === undefined ? '–' : <Ago at={now.at} />}</td>
    </tr>
  );
}
