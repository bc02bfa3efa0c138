// Detects that an agent rewrote the judge files, by which a stage is checked, and puts them back.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../policies/facts/gate-record.ts';
import { toDo } from '../../policies/facts/next-action.ts';
import { refreshStats } from '../../state/journal/stats.ts';
import type { OpenTask } from '../task/task.ts';
import { judgeFiles, ownFiles, ownFolders } from './judge-files.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';
import { type KeptJournal, keepJournal, repairJournal } from './kept-journal.ts';
import { putBack, type Tampered } from './put-back.ts';
import { vouchFor } from './watched-call.ts';

interface Judge {
  files: KeptFiles;
  journal: KeptJournal;
}

export interface CheckedJudge {
  finding: Finding | null;
  notes: string[];
}

/**
 * Called right before a call.
 * @param copies as in `keepFiles`.
 */
export async function keepJudge(open: OpenTask, callId: string, copies: () => string | null): Promise<Judge> {
  const { task, root } = open;
  const files = keepFiles({
    files: await judgeFiles(open),
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

/** Called right after the call, before the judge files are used. */
export async function checkJudge(
  open: OpenTask,
  judge: Judge,
  { callId, call, aside, clock, register }: Checking,
): Promise<CheckedJudge> {
  const tampered = putBack(judge.files, { present: () => ownFiles(open.task), aside, clock });
  const repaired = await repairJournal(open.journal, judge.journal, callId, call, clock());
  if (repaired.strange.length + repaired.budgetChanges > 0 || call === null) {
    // It is only a view of the journal, and an edited view would be taken for the user's request.
    rmSync(path.join(open.task.state, 'stats.json'), { force: true, recursive: true });
    await refreshStats(open.journal, clock);
  }
  vouchFor(register, open.task, tampered);
  const notes =
    repaired.budgetChanges === 0
      ? []
      : ['the budget was changed while a call ran, and that was taken back: change it again, between calls'];
  if (tampered.length === 0 && repaired.strange.length === 0) return { finding: null, notes };
  const missing = [
    ...repaired.strange.map((what) => `state/journal.jsonl (${what}; repaired)`),
    ...tampered.map((each) => describe(open, each)),
  ];
  return { finding: tamperedFinding(missing, aside), notes };
}

/** @param missing the changed files, each with its outcome. */
export const tamperedFinding = (missing: string[], aside: string): Finding => ({
  check: 'judge',
  class: 'scope_violation',
  reason: 'judge_changed',
  missing,
  text: `files that this stage is judged by were changed while it ran: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`,
  next_actions: existsSync(aside) ? [toDo(`look at what was written there: ${aside}`)] : [],
});

const OUTCOME = {
  put_back: 'put back',
  kept: 'could not be put back: no copy of it was kept, or the copy is gone',
  recomposed: 'set aside, and composed again',
} as const;

export const describe = ({ root }: Pick<OpenTask, 'root'>, { file, how, outcome }: Tampered): string =>
  `${path.relative(root, file)} (${how}; ${OUTCOME[outcome]})`;
