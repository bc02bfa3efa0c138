// Groups the same failures: how often each occurred, in which tasks, and with what evidence.

import type { FailureGroup } from '../../contract/failures.ts';
import { count, counted } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Ago } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';

export function FailureGroups({ groups }: { groups: readonly FailureGroup[] }) {
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
