// Takes away what a writer that was killed left beside its target, and attempts that were never made.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Journal } from '../../state/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { hasOutput } from '../call/captured.ts';

/** A writer that lives needs its file again within a moment; one that cannot be asked after has an hour. */
const KEEP_MS = { dead: 60_000, unknown: 3_600_000 };

/** As publish.ts and saved-draft.ts name them, with the number of the process; whole-file.ts; and write-file-atomic. */
export const TEMPORARY =
  /^\..+\.\d+-\d+$|\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$|^(?:stats\.json|last_failure\.json|journal\.jsonl)\.\d{1,10}$/;

/** Looks only where the task keeps what is ours. */
export function clearTemporaries(task: TaskFolder, { file, read }: Journal): void {
  const { calls } = read().ledger;
  // The disk's own word on what time it is: our clock may be wrong.
  const now = statSync(file).mtime;
  const attempts = namesIn(task.attempts).map((name) => path.join(task.attempts, name));
  for (const folder of [
    task.outputs,
    task.state,
    path.join(task.state, 'baseline'),
    task.done,
    path.join(task.inputs, 'prompt'),
    ...attempts,
  ])
    for (const name of namesIn(folder))
      if (TEMPORARY.test(name) && isOld(path.join(folder, name), now, lostItsWriter(name) ? 'dead' : 'unknown'))
        remove(path.join(folder, name));
  for (const folder of attempts)
    if (!calls.has(path.basename(folder)) && !saysAnything(folder) && isOld(folder, now, 'unknown')) remove(folder);
}

/** A record is the word of a call that was refused; an output that of one that was made, whatever the journal says. */
const saysAnything = (folder: string): boolean => existsSync(path.join(folder, 'record.json')) || hasOutput(folder);

/** Some bear the number of the process that writes them. */
function lostItsWriter(name: string): boolean {
  const [, pid] = /^\..+\.(\d+)-\d+$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function isOld(file: string, now: Date, writer: keyof typeof KEEP_MS): boolean {
  const kind = statSync(file, { throwIfNoEntry: false });
  return kind !== undefined && now.getTime() - kind.mtimeMs > KEEP_MS[writer];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What cannot be taken away is in nobody's way. */
function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
