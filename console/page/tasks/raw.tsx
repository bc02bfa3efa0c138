// Shows the files of a task as they are: the summary of its last run, all texts, and the whole explanation of its failure.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { Explanation } from '../failures/explanation.tsx';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Words } from '../text/words.tsx';
import { TextsOf } from './texts.tsx';

export function Raw({ of }: { of: TaskShown }) {
  return (
    <div class="stack">
      <Panel title="Location">
        <p class="mono soft">
          <Words of={of.folder} />
        </p>
      </Panel>
      <Panel title="Summary">
        {of.summary === null ? (
          <Empty title="No summary yet">A run writes it when it ends.</Empty>
        ) : (
          <Markdown of={of.summary} label="Summary" lines="kept" />
        )}
      </Panel>
      {of.texts.length === 0 ? <Empty title="Nothing was sent yet" /> : <TextsOf task={of.task_id} of={of.texts} />}
      <Explained id={of.task_id} />
    </div>
  );
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
