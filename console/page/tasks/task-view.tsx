// Shows one task: its state with what can be done about it, its run, its changes, and its files.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { ManifestView } from '../manifest/manifest-view.tsx';
import { StopDialog } from '../now/now-view.tsx';
import { ActionButton, firstToDo, goesOn } from '../parts/actions.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { count, tokens } from '../parts/figures.ts';
import { Cost, StateMark } from '../parts/mark.tsx';
import { Shown } from '../parts/shown.tsx';
import { Ago, Elapsed } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Tabs, View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { Changes } from './changes.tsx';
import { Raw } from './raw.tsx';
import { againOf } from './rerun.tsx';
import { RunView } from './run-view.tsx';
import { signedOutOf } from './task-list.ts';

const TABS = [
  { id: 'run', name: 'Run' },
  { id: 'changes', name: 'Changes' },
  { id: 'manifest', name: 'Edit manifest' },
  { id: 'raw', name: 'Raw' },
] as const;

/** How many files the gates found changed; undefined if that is not known. */
function changedBy(of: TaskShown | null): number | undefined {
  const found = (of?.gates ?? []).flatMap(({ changes }) => (changes ? [changes] : []));
  if (found.length === 0 || found.length < of!.gates.length) return undefined;
  return new Set(found.flat().map(({ path }) => path)).size;
}

/** @param view the list that led to the task. */
export function TaskView({ view, id, tab }: { view: 'tasks' | 'supervise'; id: string; tab: string }) {
  const task = useFollowing<ResourcesOf['task']>(
    `/api/tasks/${partOf(id)}`,
    (topic, of) => topic === '*' || ((topic === 'task' || topic === 'tasks') && (of === null || of === id)),
  );
  const current = TABS.find((each) => each.id === tab)?.id ?? 'run';
  return (
    <View
      crumbs={<a href={to(view)}>{view === 'tasks' ? 'Tasks' : 'Supervise'}</a>}
      title={<Words of={id} />}
      about={task.value.value?.goal ? <Words of={task.value.value.goal} /> : undefined}
      beside={
        task.value.value && (
          <>
            <CopyButton text={id} name="Copy id" look="icon" />
            <StateMark state={task.value.value.state} />
          </>
        )
      }
      aside={task.value.value && <MainAction of={task.value.value} part={current} />}
      facts={task.value.value ? factsOf(task.value.value) : undefined}
    >
      {(task.value.value !== null || task.problem.value === null) && (
        <Tabs
          label="Parts of the task"
          of={TABS.map((each) => ({ ...each, count: each.id === 'changes' ? changedBy(task.value.value) : undefined }))}
          current={current}
          below={[view, id]}
        />
      )}
      <Shown of={task} what="the task" list={{ name: 'All tasks', address: to('tasks') }}>
        {(shown) => <Part of={shown} part={current} />}
      </Shown>
    </View>
  );
}

function Part({ of, part }: { of: TaskShown; part: (typeof TABS)[number]['id'] }) {
  switch (part) {
    case 'run':
      return <RunView of={of} busy={busyWords(of)} />;
    case 'changes':
      return <Changes id={of.task_id} />;
    case 'manifest':
      return <ManifestView id={of.task_id} state={of.state} />;
    case 'raw':
      return <Raw of={of} />;
  }
}

/** Why no command about the task can be run now; null if one can. */
const busyWords = ({ state }: TaskShown): string | null => (state === 'running' ? 'It is running.' : null);

/** The figures of the task in a line. */
function factsOf({ calls, usd, tokens: used, unknown, at, running_since: since }: TaskShown) {
  return [
    ...(since === null ? [] : ([['Running', <Elapsed key="running" from={since} />]] as const)),
    ['Calls', `${count(calls.used)}${calls.budget === null ? '' : ` of ${calls.budget}`}`] as const,
    ...(calls.used > 0 ? ([['Cost', <Cost key="usd" usd={usd} without={unknown.usd} />]] as const) : []),
    ...(used === null ? [] : ([['Tokens', tokens(used, unknown.tokens)]] as const)),
    ...(since === null && at !== null ? ([['Last', <Ago key="at" at={at} />]] as const) : []),
  ];
}

/** What can be done about it, the same on each of its parts. */
function MainAction({ of, part }: { of: TaskShown; part: (typeof TABS)[number]['id'] }) {
  const isStopping = useSignal(false);
  const { task_id: id, state, next_actions: next } = of;
  if (state === 'parked')
    return (
      <a
        class={`button ${part === 'run' ? '' : 'main'}`}
        href={to('tasks', id)}
        onClick={() => document.querySelector<HTMLElement>('.answering textarea')?.focus()}
      >
        Answer
      </a>
    );
  if (state !== 'running') {
    const again = goesOn(next) ?? againOf(id, state);
    const isNext = signedOutOf([id]).length > 0 || (firstToDo(next, of.at) ?? again) === again;
    // What still runs is to be stopped before.
    const isFirst = state !== 'done' && of.left_running !== true && isNext;
    const named = state === 'done' ? { verb: 'Rerun' } : {};
    return <ActionButton of={again} isMain={isFirst} failedAt={of.at} pressedBy="r" {...named} />;
  }
  return (
    <>
      <span class="action">
        <button type="button" class="button grave" data-key="s" onClick={() => (isStopping.value = true)}>
          Stop<span class="unseen"> {id}</span>
        </button>
        <small class="dim">keeps what is finished; the call under way is paid</small>
      </span>
      {isStopping.value && <StopDialog task={id} onClose={() => (isStopping.value = false)} />}
    </>
  );
}
