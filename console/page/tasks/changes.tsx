// The diff of the task's tree, asked for when somebody looks at it.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { partOf } from '../live/address.ts';
import { useFollowing } from '../live/follow.ts';
import { Empty } from '../parts/empty.tsx';
import { Shown } from '../parts/shown.tsx';
import { Diff } from '../text/diff.tsx';
import { Words } from '../text/words.tsx';

export function Changes({ of: { task_id: id } }: { of: TaskShown }) {
  const diff = useFollowing<ResourcesOf['diff']>(`/api/tasks/${partOf(id)}/diff`, (topic) => topic === '*');
  return (
    <Shown of={diff} what="what changed">
      {({ text, notes }) => (
        <>
          {notes.map((note) => (
            <p class="notice wait" key={note}>
              <Words of={note} />
            </p>
          ))}
          {text !== '' && <Diff of={text} label="What changed" />}
          {text === '' && notes.length === 0 && (
            <Empty title="Nothing has changed">The tree is as it was when the task began.</Empty>
          )}
        </>
      )}
    </Shown>
  );
}
