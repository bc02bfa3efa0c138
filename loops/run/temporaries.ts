// Removes temporary files of writers that were killed, and attempts that were never started.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../state/disk/folder.ts';
import { isRegular, lookAt } from '../../state/disk/regular-file.ts';
import { TEMPORARY } from '../../state/disk/replace-file.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type TaskFolder, taskFolders } from '../../state/task-folder.ts';
import { hasOutput } from '../attempt/captured.ts';

/** A living writer finishes its file in a moment. If its life is unknown, the file is kept for an hour. */
const KEEP_MS = { dead: 60_000, unknown: 3_600_000 };

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';

interface Row {
  /** The module that writes under such a name. */
  by: string;
  name: RegExp;
  example: string;
}

/** Every name pattern of tollgate's temporary files. */
export const TEMPORARIES: readonly Row[] = [
  {
    by: 'state/disk/replace-file.ts',
    name: TEMPORARY,
    example: '.codex_brief.codex.out.PID-1',
  },
  {
    by: 'write-file-atomic',
    name: /^(?:stats\.json|last_failure\.json|journal\.jsonl)\.\d{1,10}$/,
    example: 'stats.json.1234567890',
  },
];

/** No other program uses this name, so it is also searched for where users keep their files. */
export const PROBE = {
  by: 'state/volume.ts',
  name: new RegExp(`^\\.tollgate-probe-${UUID}$`),
  example: '.tollgate-probe-00000000-0000-4000-8000-000000000001',
};

export const isTemporary = (name: string): boolean => [...TEMPORARIES, PROBE].some((row) => row.name.test(name));

/** The folders that only tollgate writes. A user's `dump.json.1` in `inputs/` is not a temporary file. */
export function ownFolders(task: TaskFolder): string[] {
  const shared = path.dirname(path.dirname(task.root));
  return [
    ...(path.basename(path.dirname(task.root)) === 'task' ? [path.join(shared, 'state')] : []),
    task.outputs,
    task.state,
    path.join(task.state, 'baseline'),
    task.done,
    path.join(task.inputs, 'prompt'),
    ...namesIn(task.attempts).map((name) => path.join(task.attempts, name)),
  ];
}

/** Removes only regular files, and only in the folders of the task and its project that belong to tollgate. */
export function clearTemporaries(task: TaskFolder, { file, read }: Journal): void {
  const { calls } = read().ledger;
  // Uses the time of the disk, because our clock may be wrong.
  const now = lookAt(file)?.mtime ?? new Date(0);
  const attempts = namesIn(task.attempts).map((name) => path.join(task.attempts, name));
  const own = new Set(ownFolders(task));
  const probed = new Set(taskFolders(task));
  for (const folder of new Set([...own, ...probed]))
    clearIn(folder, [...(own.has(folder) ? TEMPORARIES : []), ...(probed.has(folder) ? [PROBE] : [])], now);
  for (const folder of attempts)
    if (!calls.has(path.basename(folder)) && !saysAnything(folder) && isOld(folder, now, 'unknown')) remove(folder);
}

/** A record shows a call that was refused. Output shows a call that was made, whatever the journal says. */
const saysAnything = (folder: string): boolean => existsSync(path.join(folder, 'record.json')) || hasOutput(folder);

function clearIn(folder: string, rows: readonly Row[], now: Date): void {
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const writer = writerOf(name, rows);
    if (writer !== null && isRegular(file) && isOld(file, now, writer)) remove(file);
  }
}

/** @returns null if the file is not a temporary; some names contain the pid of their writer. */
function writerOf(name: string, rows: readonly Row[]): keyof typeof KEEP_MS | null {
  const found = rows.map((row) => row.name.exec(name)).find((match) => match !== null);
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

/** A file that cannot be removed does no harm. */
function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
