// Why the task failed, as tollgate explain has it.

import type { ResourcesOf } from '../../contract/resources.ts';
import { Explanation } from '../failures/explanation.tsx';
import { partOf } from '../live/address.ts';
import { useFollowing } from '../live/follow.ts';
import { Empty } from '../parts/empty.tsx';
import { Shown } from '../parts/shown.tsx';

export function Explained({ id }: { id: string }) {
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
