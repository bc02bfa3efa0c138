// What the index keeps of a task: how it stands, in words of its own, and its row where that was shown.

import path from 'node:path';
import { readActions } from '../../policies/facts/next-action.ts';
import type { KeptText } from '../../state/task-index.ts';
import { isTask, type ReadingTasks, type TaskReading } from './read-task.ts';
import type { RowStanding, TaskRow } from './task-row.ts';

/** Without what is null in it, what its folder says, and what other files than those of the mark have a say in. */
type KeptRow = Partial<TaskRow> & Pick<TaskRow, 'calls'>;

export function textToKeep({ standing, row }: TaskReading): KeptText {
  const { state, at } = standing!;
  return { head: `${state} ${at ?? ''}`, body: () => (row === null ? '' : rowText(row)) };
}

function rowText({ task_id, folder, state, at, supervision, stages, ...rest }: TaskRow): string {
  return JSON.stringify(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)));
}

/** null where more of it is to be shown than was kept. */
export function keptTask(folder: string, text: KeptText, { isShown, stages }: ReadingTasks): TaskReading | null {
  const [state, at] = text.head.split(' ') as [RowStanding['state'], string];
  // Without a journal it is its manifest that makes it a task.
  if (state === 'never_run' && !isTask(folder)) return null;
  const standing = { state, at: at === '' ? null : at };
  const read = { standing, row: null, problem: null, mark: null };
  if (!isShown(standing)) return read;
  const json = stages === 'read' ? '' : text.body();
  if (json === '') return null;
  return { ...read, row: rowOf(folder, standing, JSON.parse(json) as KeptRow) };
}

/** Field by field: an object that is put together from others takes three times the memory. */
function rowOf(folder: string, { state, at }: RowStanding, kept: KeptRow): TaskRow {
  return {
    task_id: path.basename(folder),
    folder,
    state,
    at,
    stage: kept.stage ?? null,
    class: kept.class ?? null,
    reason: kept.reason ?? null,
    signature: kept.signature ?? null,
    evidence: kept.evidence ?? null,
    since: kept.since ?? null,
    count: kept.count ?? null,
    retry_at: kept.retry_at ?? null,
    calls: kept.calls,
    next_action: readActions([kept.next_action])[0] ?? null,
    checked_at: kept.checked_at ?? null,
    checked_by: kept.checked_by ?? null,
    supervision: null,
    stages: [],
  };
}
