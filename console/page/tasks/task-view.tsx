// Shows one task: its state with what can be done about it, its run, its changes, and its files.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { ManifestView } from '../manifest/manifest-view.tsx';
import { StopDialog } from '../now/now-view.tsx';
import { ActionButton, CopyButton, isRerun } from '../parts/actions.tsx';
import { count, money, tokens } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Facts } from '../parts/panel.tsx';
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

const TABS = [
  { id: 'run', name: 'Run' },
  { id: 'changes', name: 'Changes' },
  { id: 'manifest', name: 'Edit manifest' },
  { id: 'raw', name: 'Raw' },
] as const;

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
      aside={task.value.value && <Standing of={task.value.value} part={current} />}
    >
      {(task.value.value !== null || task.problem.value === null) && (
        <Tabs label="Parts of the task" of={TABS} current={current} below={[view, id]} />
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

function Standing({ of, part }: { of: TaskShown; part: (typeof TABS)[number]['id'] }) {
  const isStopping = useSignal(false);
  const { task_id: id, state, calls } = of;
  return (
    <>
      <StateMark state={state} />
      {of.running_since !== null && (
        <span class="dim">
          for <Elapsed from={of.running_since} />
        </span>
      )}
      <Facts
        of={[
          ['Calls', `${count(calls.used)}${calls.budget === null ? '' : ` of ${calls.budget}`}`],
          ...(calls.used > 0 ? ([['Cost', money(of.usd, of.unknown.usd)]] as const) : []),
          ...(of.tokens === null ? [] : ([['Tokens', tokens(of.tokens, of.unknown.tokens)]] as const)),
          ...(of.running_since === null && of.at !== null ? ([['Last', <Ago key="at" at={of.at} />]] as const) : []),
        ]}
      />
      {state === 'running' ? (
        <button type="button" class="button small grave" data-key="s" onClick={() => (isStopping.value = true)}>
          Stop<span class="unseen"> {id}</span>
        </button>
      ) : state === 'parked' ? (
        part !== 'run' && (
          <a class="button small main" href={to('tasks', id)}>
            Answer
          </a>
        )
      ) : (
        calls.used > 0 &&
        !(part === 'run' && of.next_actions.some(isRerun)) && (
          <ActionButton of={againOf(id, state)} pressedBy="r" {...(state === 'done' ? { verb: 'Rerun' } : {})} />
        )
      )}
      <CopyButton text={id} name="Copy id" />
      {isStopping.value && <StopDialog task={id} onClose={() => (isStopping.value = false)} />}
    </>
  );
}
