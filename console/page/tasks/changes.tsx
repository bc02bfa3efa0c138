// Shows what each writing stage changed in the tree, apart from what had changed before it.

import type { ResourcesOf } from '../../contract/resources.ts';
import { type DiffShown, type DiffsShown, WHOLE_TASK } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { counted } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { useSignal } from '../reactive.ts';
import { route, to } from '../shell/route.ts';
import { Diff } from '../text/diff.tsx';
import { Words } from '../text/words.tsx';

export function Changes({ id }: { id: string }) {
  const diffs = useFollowing<ResourcesOf['diffs']>(`/api/tasks/${partOf(id)}/diff`, concerns(id));
  return (
    <Shown of={diffs} what="the stages that changed something">
      {(of) => <Stages id={id} of={of} />}
    </Shown>
  );
}

const concerns = (id: string) => (topic: string, of: string | null) =>
  topic === '*' || (topic === 'task' && (of === null || of === id));

function Stages({ id, of: { stages, whole, why_none: why } }: { id: string; of: DiffsShown }) {
  const all = [
    ...stages.map(({ stage, changed }) => ({ stage, changed, name: stage })),
    ...(whole ? [{ stage: WHOLE_TASK, changed: null, name: 'since the task began' }] : []),
  ];
  const wanted = route.value.query.get('stage');
  const told = stages.findLast(({ changed, kept }) => kept && changed !== 0);
  const usual = told === undefined ? all.at(-1) : all[stages.indexOf(told)];
  const current = all.find(({ stage }) => stage === wanted) ?? usual;
  if (current === undefined)
    return (
      <div class="panel">
        <Empty title="No changes">
          <p>{why}</p>
        </Empty>
      </div>
    );
  return (
    <>
      {all.length > 1 && (
        <nav class="buttons" aria-label="Stages with changes">
          {all.map(({ stage, changed, name }) => (
            <a
              key={stage}
              class="diff-stage"
              href={`${to('tasks', id, 'changes')}?stage=${partOf(stage)}`}
              aria-current={stage === current.stage ? 'true' : undefined}
            >
              <Words of={name} />
              {changed !== null && <span class="dim"> {counted(changed, 'change')}</span>}
            </a>
          ))}
        </nav>
      )}
      <StageDiff key={current.stage} id={id} stage={current.stage} />
    </>
  );
}

function StageDiff({ id, stage }: { id: string; stage: string }) {
  const diff = useFollowing<ResourcesOf['diff']>(`/api/tasks/${partOf(id)}/diff/${partOf(stage)}`, concerns(id));
  return (
    <Shown of={diff} what="what changed">
      {(of) => <Found of={of} name={stage === WHOLE_TASK ? id : `${id}-${stage}`} />}
    </Shown>
  );
}

function Found({ of: { text, earlier, changes, outside, notes, command }, name }: { of: DiffShown; name: string }) {
  const isOpen = useSignal(false);
  const out = new Set(outside);
  return (
    <>
      {notes.map((note) => (
        <p class="notice wait" key={note}>
          <Words of={note} />
        </p>
      ))}
      {command !== null && (
        <code class="said">
          <Words of={command} />
        </code>
      )}
      {text !== '' && <Diff of={text} label="What changed" name={`${name}.patch`} outside={out} />}
      {text === '' && changes.length > 0 && (
        <Panel title="What the gate found to have changed">
          <ul class="plain-list">
            {changes.map(({ path, how, from }) => (
              <li key={path}>
                {how}: {from !== undefined && <Words of={`${from} → `} />}
                <Words of={path} /> {out.has(path) && <Mark tone="bad" word="out of scope" icon="failed" />}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {text === '' && notes.length === 0 && changes.length === 0 && (
        <Empty title="Nothing has changed">The tree is as it was before.</Empty>
      )}
      {earlier !== '' && (
        <details class="opens panel" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary>Changes from before this stage, since the last commit</summary>
          {isOpen.value && <Diff of={earlier} label="What had changed before" name={`${name}-before.patch`} />}
        </details>
      )}
    </>
  );
}
