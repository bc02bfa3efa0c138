// Shows the failures by signature: one entry for one cause, however many tasks have it.

import type { FailureGroup } from '../../contract/failures.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { Empty } from '../parts/empty.tsx';
import { counted } from '../parts/figures.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { Shown } from '../parts/shown.tsx';
import { route, setQuery } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { FailureGroups } from './failure-groups.tsx';

export function FailuresView() {
  const failures = useFollowing<Resources['/api/failures']>(
    '/api/failures',
    (topic) => topic === 'tasks' || topic === '*',
  );
  const text = route.value.query.get('q') ?? '';
  return (
    <View title="Failures" about="Those that stand, the same ones together.">
      <div class="bar">
        <FilterField label="Filter failures" value={text} onInput={(q) => setQuery({ q })} />
      </div>
      <Shown of={failures} what="the failures">
        {({ groups }) => {
          const some = groups.filter((group) => fits(group, text.toLowerCase()));
          if (groups.length === 0)
            return (
              <div class="panel">
                <Empty title="Nothing has failed">No task rests on a failure.</Empty>
              </div>
            );
          return (
            <>
              <p class="dim" aria-live="polite">
                {counted(some.length, 'failure')} of {groups.length}
              </p>
              <FailureGroups groups={some} />
            </>
          );
        }}
      </Shown>
    </View>
  );
}

const fits = ({ signature, class: errorClass, reason, evidence, task_ids: ids }: FailureGroup, text: string): boolean =>
  text === '' ||
  [signature, errorClass, reason, evidence, ...ids].some((each) => each?.toLowerCase().includes(text) ?? false);
