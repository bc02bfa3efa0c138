// Finds the project's rows that may have classified a failure: those that its call saved, or those of tollgate.yaml now.

import path from 'node:path';
import type { Verdict } from '../../policies/facts/evidence.ts';
import { isTaken, type OwnRow, SAID_IN } from '../../policies/verdict/own-row.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { readProject } from '../../state/project/project.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { savedRows } from '../attempt/believed-draft.ts';

/** Returns whether a row decided that is not built in. */
export const isOwn = ({ rule, source }: Omit<NonNullable<Verdict['evidence']>, 'text'>): boolean =>
  SAID_IN.some((one) => one === source) && !isTaken(rule);

/** @param root the project's root. */
export async function ownRowsOf(
  { evidence }: Verdict,
  call: Call | null,
  task: TaskFolder,
  root: string,
): Promise<readonly OwnRow[]> {
  if (evidence === null || !isOwn(evidence)) return [];
  const saved = call === null ? null : savedRows(path.join(task.attempts, call.reserved.call_id), call);
  if (saved?.some(({ id }) => id === evidence.rule)) return saved;
  const project = await readProject(root);
  return project.how === 'read' ? project.value.triage.rules : [];
}
