// Shows one task: its state, attempts, gate, changes, prompts and answers, and why it failed.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { Explanation } from '../failures/explanation.tsx';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { count, lacking, money, tokens } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { Tabs, View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { Attempts } from './attempts.tsx';
import { Changes } from './changes.tsx';
import { Gates } from './gates.tsx';
import { Overview } from './overview.tsx';
import { Texts } from './texts.tsx';

const TABS = [
  { id: 'overview', name: 'Overview' },
  { id: 'attempts', name: 'Attempts' },
  { id: 'gate', name: 'Gate' },
  { id: 'changes', name: 'Changes' },
  { id: 'texts', name: 'Prompts and answers' },
  { id: 'explain', name: 'Explain' },
] as const;

export function TaskView({ id, tab }: { id: string; tab: string }) {
  const task = useFollowing<ResourcesOf['task']>(
    `/api/tasks/${partOf(id)}`,
    (topic, of) => topic === '*' || ((topic === 'task' || topic === 'tasks') && (of === null || of === id)),
  );
  const current = TABS.find((each) => each.id === tab)?.id ?? 'overview';
  return (
    <View
      crumbs={<a href={to('tasks')}>Tasks</a>}
      title={<Words of={id} />}
      about={task.value.value?.goal ? <Words of={task.value.value.goal} /> : undefined}
      aside={task.value.value && <Standing of={task.value.value} />}
    >
      <Tabs label="Parts of the task" of={TABS} current={current} below={['tasks', id]} />
      <Shown of={task} what="the task">
        {(shown) => <Part of={shown} part={current} />}
      </Shown>
    </View>
  );
}

function Part({ of, part }: { of: TaskShown; part: (typeof TABS)[number]['id'] }) {
  switch (part) {
    case 'overview':
      return <Overview of={of} />;
    case 'attempts':
      return <Attempts of={of} />;
    case 'gate':
      return <Gates of={of} />;
    case 'changes':
      return <Changes id={of.task_id} />;
    case 'texts':
      return <Texts of={of} />;
    case 'explain':
      return <Explained id={of.task_id} />;
  }
}

function Standing({ of }: { of: TaskShown }) {
  return (
    <>
      <span class="dim" aria-live="polite">
        {count(of.calls.used)}
        {of.calls.budget !== null && ` of ${of.calls.budget}`} calls, {tokens(of.tokens, of.unknown.tokens)} tokens,{' '}
        {moneyWords(of)}, last <Ago at={of.at} />
      </span>
      <StateMark state={of.state} />
    </>
  );
}

function moneyWords({ usd, unknown }: TaskShown): string {
  if (usd === null) return 'money unknown';
  return unknown.usd === 0 ? money(usd) : `${money(usd, unknown.usd)} (${lacking(unknown.usd, 'price')})`;
}

/** Why the task failed, as `tollgate explain` reports it. */
function Explained({ id }: { id: string }) {
  const explained = useFollowing<ResourcesOf['explain']>(
    `/api/tasks/${partOf(id)}/explain`,
    (topic, of) => topic === '*' || (topic === 'task' && of === id),
  );
  return (
    <Shown of={explained} what="the explanation">
      {({ explanation, message }) =>
        explanation === null ? <Empty title="Nothing to explain">{message}</Empty> : <Explanation of={explanation} />
      }
    </Shown>
  );
}
