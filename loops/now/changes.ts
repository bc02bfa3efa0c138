// What became otherwise with a task between two looks.

import type { NowChange, NowTask } from './now.ts';

/** @param before null for a task that nobody has looked at yet: only what is under way counts as a change. */
export function changesOf(before: NowTask | null, after: NowTask, at: string): NowChange[] {
  const { task_id, folder, state, running, waits } = after;
  const head = { at, task_id, folder };
  if (state === 'gone') return before === null || before.state === 'gone' ? [] : [{ ...head, change: 'gone' }];
  if (state === 'unreadable')
    return before?.message === after.message ? [] : [{ ...head, change: 'unreadable', message: after.message ?? '' }];
  const changes: NowChange[] = [];
  if (state === 'running' && before?.state !== 'running') changes.push({ ...head, change: 'began' });
  const known = new Map((before?.running ?? []).map((call) => [call.call_id, call]));
  const still = new Set(running.map(({ call_id }) => call_id));
  for (const call of known.values())
    if (!still.has(call.call_id)) changes.push({ ...head, change: 'call_ended', call });
  for (const call of running) {
    const earlier = known.get(call.call_id);
    if (earlier === undefined) changes.push({ ...head, change: 'called', call });
    if (call.last !== null && call.last !== (earlier?.last ?? null)) changes.push({ ...head, change: 'said', call });
  }
  if (waits !== null && JSON.stringify(waits) !== JSON.stringify(before?.waits ?? null))
    changes.push({ ...head, change: 'waits', waits });
  if (hasEnded(before, after)) {
    const { stage, class: errorClass, reason } = after;
    changes.push({ ...head, change: 'ended', state, stage, class: errorClass, reason });
  }
  return changes;
}

/** Also where it began and ended between two looks. */
function hasEnded(before: NowTask | null, { state, since }: NowTask): boolean {
  if (before === null || state === 'running' || state === 'never_run') return false;
  return before.state !== state || before.since !== since;
}
