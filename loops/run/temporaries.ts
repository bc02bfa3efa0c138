// Takes away what a writer that was killed left beside its target, and attempts that were never made.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../state/disk/folder.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import type { Journal } from '../../state/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type TaskFolder, taskFolders } from '../../state/task-folder.ts';
import { hasOutput } from '../call/captured.ts';

/** A writer that lives needs its file again within a moment; one that cannot be asked after has an hour. */
const KEEP_MS = { dead: 60_000, unknown: 3_600_000 };

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';

/** Every name that something of ours is written under before it gets its own, with an example of each. */
export const TEMPORARIES: readonly { by: string; name: RegExp; example: string }[] = [
  {
    by: 'state/disk/replace-file.ts',
    name: /^\..+\.(?<pid>\d+)-\d+$/,
    example: '.codex_brief.codex.out.PID-1',
  },
  {
    by: 'loops/gate/output-log.ts',
    name: /^\..+\.acceptance\.log\.(?<pid>\d+)$/,
    example: '.codex_verify.acceptance.log.PID',
  },
  {
    by: 'state/whole-file.ts of earlier versions',
    name: new RegExp(`\\.${UUID}$`),
    example: 'codex_brief.gate.json.00000000-0000-4000-8000-000000000001',
  },
  { by: 'write-file-atomic', name: /^[^.].*\.jsonl?\.\d{1,10}$/, example: 'stats.json.1234567890' },
  {
    by: 'state/volume.ts',
    name: new RegExp(`^\\.tollgate-probe-${UUID}$`),
    example: '.tollgate-probe-00000000-0000-4000-8000-000000000001',
  },
];

export const isTemporary = (name: string): boolean => TEMPORARIES.some((row) => row.name.test(name));

/** Looks only where the task and its project keep what is ours. */
export function clearTemporaries(task: TaskFolder, { file, read }: Journal): void {
  const { calls } = read().ledger;
  // The disk's own word on what time it is: our clock may be wrong.
  const now = lookAt(file)?.mtime ?? new Date(0);
  const attempts = namesIn(task.attempts).map((name) => path.join(task.attempts, name));
  for (const folder of [...taskFolders(task), ...attempts])
    for (const name of namesIn(folder)) {
      const writer = writerOf(name);
      if (writer !== null && isOld(path.join(folder, name), now, writer)) remove(path.join(folder, name));
    }
  for (const folder of attempts)
    if (!calls.has(path.basename(folder)) && !saysAnything(folder) && isOld(folder, now, 'unknown')) remove(folder);
}

/** A record is the word of a call that was refused; an output that of one that was made, whatever the journal says. */
const saysAnything = (folder: string): boolean => existsSync(path.join(folder, 'record.json')) || hasOutput(folder);

/** null for what is no temporary; some bear the number of the process that writes them. */
function writerOf(name: string): keyof typeof KEEP_MS | null {
  const found = TEMPORARIES.map((row) => row.name.exec(name)).find((match) => match !== null);
  if (found === undefined) return null;
  const pid = found.groups?.pid;
  return pid === undefined || !isGone(Number(pid)) ? 'unknown' : 'dead';
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function isOld(file: string, now: Date, writer: keyof typeof KEEP_MS): boolean {
  const kind = lookAt(file);
  return kind !== null && now.getTime() - kind.mtimeMs > KEEP_MS[writer];
}

/** What cannot be taken away is in nobody's way. */
function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
