// Shows the failures by signature: one entry for one cause, however many tasks have it.

import type { FailureGroup } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { count, counted } from '../parts/figures.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { Mark } from '../parts/mark.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { route, setQuery, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';

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

/** Groups the same failures: how often each occurred, in which tasks, and with what evidence. */
function FailureGroups({ groups }: { groups: readonly FailureGroup[] }) {
  return (
    <ul class="groups">
      {groups.map((group) => (
        <GroupOf key={group.signature ?? `${group.class} ${group.reason}`} group={group} />
      ))}
    </ul>
  );
}

/** The user can show the others with a button. */
const FIRST_TASKS = 12;

function GroupOf({ group }: { group: FailureGroup }) {
  const { signature, class: errorClass, reason, task_ids: ids, first_seen, last_seen, evidence } = group;
  const all = useSignal(false);
  const shown = all.value ? ids : ids.slice(0, FIRST_TASKS);
  return (
    <li class="panel group">
      <div class="group-count">
        <b>{count(ids.length)}</b>
        <span class="dim">{ids.length === 1 ? 'task' : 'tasks'}</span>
      </div>
      <div class="group-body">
        <h2>
          <Mark tone="bad" word={errorClass} icon="failed" /> {reason && <Words of={reason.replaceAll('_', ' ')} />}
        </h2>
        {evidence && (
          <p class="mono evidence">
            <Words of={evidence} />
          </p>
        )}
        <p class="dim">
          last <Ago at={last_seen} />, first <Ago at={first_seen} />
          {signature && (
            <>
              , signature <code>{signature.slice(0, 19)}…</code>
            </>
          )}
        </p>
        <ul class="chips">
          {shown.map((id) => (
            <li key={id}>
              <a class="chip" href={to('tasks', id, 'explain')}>
                <Words of={id} />
              </a>
            </li>
          ))}
          {shown.length < ids.length && (
            <li>
              <button type="button" class="chip" onClick={() => (all.value = true)}>
                all {counted(ids.length, 'task')}
              </button>
            </li>
          )}
        </ul>
      </div>
    </li>
  );
}
