// Guards the files by which a stage is checked during a call: keeps them, detects that an agent rewrote them, and puts them back.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../policies/facts/gate-record.ts';
import { toDo } from '../../policies/facts/next-action.ts';
import { firstNames } from '../../policies/text/display.ts';
import { refreshStats } from '../../state/journal/stats.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { OpenTask } from '../task/task.ts';
import { guardedFiles, ownFiles, ownFolders } from './guarded-files.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';
import { keepJournal, repairJournal } from './kept-journal.ts';
import { approveFiles } from './other-tasks.ts';
import { putBack } from './put-back.ts';

interface Guarded {
  files: KeptFiles;
  journal: Buffer;
}

/** Called right before a call. @param copies as in `keepFiles`. */
export async function keepGuarded(open: OpenTask, callId: string, copies: () => string | null): Promise<Guarded> {
  const { task, root } = open;
  const files = keepFiles({
    files: await guardedFiles(open),
    folders: [...ownFolders(task), path.join(task.attempts, callId)],
    grounds: [root, path.dirname(task.root)],
    copies,
  });
  return { files, journal: keepJournal(open.journal) };
}

/** @param aside the folder for the files that were in their place. */
interface Checking {
  callId: string;
  call: Parameters<typeof repairJournal>[3];
  aside: string;
  clock: () => Date;
  /** The user's register, which other runs read. */
  register: string;
}

/** Called right after the call, before the guarded files are used. */
export async function checkGuarded(
  open: OpenTask,
  guarded: Guarded,
  { callId, call, aside, clock, register }: Checking,
): Promise<{ finding: Finding | null; notes: string[] }> {
  const tampered = putBack(guarded.files, { present: () => ownFiles(open.task), aside, clock });
  const { strange, budgetChanges } = await repairJournal(open.journal, guarded.journal, callId, call, clock());
  if (strange.length + budgetChanges > 0 || call === null) {
    // It is only a view of the journal, and an edited view would be taken for the user's request.
    rmSync(path.join(open.task.state, 'stats.json'), { force: true, recursive: true });
    await refreshStats(open.journal, clock);
  }
  approveRestored(register, open.task.root, tampered);
  const missing = [
    ...strange.map((what) => `state/journal.jsonl (${what}; repaired)`),
    ...tampered.map((each) => describe(open.root, each)),
  ];
  return {
    finding: missing.length === 0 ? null : tamperedFinding(missing, aside),
    notes:
      budgetChanges === 0
        ? []
        : ['the budget was changed while a call ran, and the change was undone: change it again between calls'],
  };
}

/** @param missing the changed files, each with its outcome. */
export const tamperedFinding = (missing: string[], aside: string): Finding => ({
  check: 'judge',
  class: 'scope_violation',
  reason: 'judge_changed',
  missing,
  text: `files that this stage is judged by were changed while it ran: ${firstNames(missing, 3)}`,
  next_actions: existsSync(aside) ? [toDo(`look at what was written there: ${aside}`)] : [],
});

const OUTCOME = {
  put_back: 'put back',
  kept: 'could not be put back: no copy of it was kept, or the copy is gone',
  recomposed: 'set aside, and composed again',
} as const;

/** @param root the project's root. */
export const describe = (root: string, { file, how, outcome }: ReturnType<typeof putBack>[number]): string =>
  `${path.relative(root, file)} (${how}; ${OUTCOME[outcome]})`;

/** Records what we put back, so that no call of another task is blamed for the change. */
export function approveRestored(register: string, root: string, tampered: ReturnType<typeof putBack>): void {
  const own = tampered.map(({ file }) => file).filter((file) => file.startsWith(root + path.sep));
  if (own.length === 0) return;
  const files = new Set(own.flatMap((file) => [file, path.dirname(file)]));
  try {
    approveFiles(
      register,
      root,
      [...files].map((file) => path.relative(root, file)),
    );
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
