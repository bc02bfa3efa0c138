// Cleans up after killed processes: calls without a guardian, their processes and folders, commands of a gate.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { KEPT_BACKUPS } from '../../policies/session/reverted-turns.ts';
import {
  type FoundCall,
  type RegisterEntry,
  readEntries,
  registerFolder,
  removeEntry,
  removeHalves,
} from '../../state/calls/call-register.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { checkTaskId, projectState } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { lookAtFolder, type PrivateFolderKind, removePrivateFolder } from '../attempt/attempt.ts';
import { dropAged } from '../session/backups.ts';
import { sweepCall } from './sweep-call.ts';
import { sweepTask } from './sweep-task.ts';
import { isOf, isUnswept, type Sweeping, type Swept } from './swept.ts';

/** Sweeps the current project, and everything in this user's register. Reports what cannot be swept, and does not throw. */
export async function sweep(sweeping: Sweeping): Promise<Swept[]> {
  const register = readRegister(sweeping);
  const unseen = registerFolder(sweeping.environment) === null ? [UNSEEN] : [];
  const swept = register.flatMap((found) => (found.how === 'invalid' ? [mistakenEntry(found)] : []));
  swept.push(...unseen);
  const entries = register.flatMap((found) => (found.how === 'read' ? [found] : []));
  const tasks = new Set([...tasksOf(sweeping), ...entries.flatMap(({ entry }) => entry.task ?? [])]);
  for (const task of tasks) swept.push(...(await guarded(task, () => sweepTask(task, sweeping))));
  // An outer call is swept before its inner calls, because they end with it.
  entries.sort((a, b) => depthOf(a.entry) - depthOf(b.entry));
  for (const { file, entry } of entries) swept.push(...(await guarded(file, () => sweepEntry(file, entry, sweeping))));
  swept.push(...(await sweepStrays(sweeping)));
  swept.push(...(await guarded('the backups of conversations', async () => sweepBackups(sweeping))));
  return swept;
}

interface Watch {
  /** How many open calls it watches over. */
  calls: number;
  /** Null if it could not be started: a sweep finds the calls later. */
  watcher: Promise<ChildProcess | null>;
}

/** By the folder of the register. One watcher settles all calls, since several at once would settle the same ones. */
const WATCHES = new Map<string, Watch>();

/**
 * Watches over a call by a process that ends and settles the calls that this process guards, if this process ends before them.
 * A program that makes a call itself may end at any time, and no signal of a terminal reaches the CLI.
 */
export async function watchOver<T>(environment: NodeJS.ProcessEnv, call: () => Promise<T>): Promise<T> {
  const folder = registerFolder(environment);
  if (folder === null) return call();
  const watch = WATCHES.get(folder) ?? begunWatch(folder, environment);
  watch.calls += 1;
  try {
    await watch.watcher;
    return await call();
  } finally {
    watch.calls -= 1;
    if (watch.calls === 0) {
      forgetWatch(folder, watch);
      (await watch.watcher)?.kill('SIGKILL');
    }
  }
}

function begunWatch(folder: string, environment: NodeJS.ProcessEnv): Watch {
  const watch: Watch = { calls: 0, watcher: startWatcher(environment, () => forgetWatch(folder, watch)) };
  WATCHES.set(folder, watch);
  return watch;
}

/** The next call begins another one. */
function forgetWatch(folder: string, watch: Watch): void {
  if (WATCHES.get(folder) === watch) WATCHES.delete(folder);
}

/** @param gone is called when it ends, or if it does not start. */
async function startWatcher(environment: NodeJS.ProcessEnv, gone: () => void): Promise<ChildProcess | null> {
  const file = fileURLToPath(import.meta.url);
  const fromSource = file.endsWith('.ts') ? ['--require', 'tsx/cjs'] : [];
  try {
    const guardian = await identify(process.pid);
    const script = `require(${JSON.stringify(file)}).inProcess(${JSON.stringify(guardian)})`;
    // The system closes the other end of its stdin with this process, however it ends.
    const watcher = spawn(process.execPath, [...fromSource, '--eval', script], {
      env: environment,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    watcher.on('error', gone).on('exit', gone).unref();
    // Without a free file descriptor it has no stdin.
    watcher.stdin.on('error', () => {});
    (watcher.stdin as Socket).unref();
    return watcher;
  } catch {
    gone();
    return null;
  }
}

/** In the process that was started. */
export async function inProcess(guardian: ProcessIdentity): Promise<void> {
  for await (const _ of process.stdin);
  const self = (await identify(process.pid))!;
  // Its files are closed a moment before it is gone; a thread of it that was ended closes them long before.
  for (let looks = 0; (await isAlive(guardian, self)) === 'alive'; looks += 1)
    await pause(looks < QUICK_LOOKS ? LOOK_MS : SLOW_LOOK_MS);
  const { env: environment } = process;
  const sweeping: Sweeping = { cwd: process.cwd(), environment, working: 'end', clock: () => new Date(), of: guardian };
  for (const found of readRegister(sweeping)) {
    if (found.how === 'invalid' || !isOf(sweeping, found.entry.guardian)) continue;
    const { file, entry } = found;
    const { task } = entry;
    if (task !== null) await guarded(task, () => sweepTask(task, sweeping));
    await guarded(file, () => sweepEntry(file, entry, sweeping));
  }
}

const LOOK_MS = 50;
const QUICK_LOOKS = 100;
const SLOW_LOOK_MS = 1000;

const sweepBackups = ({ environment, clock }: Sweeping): Swept[] =>
  dropAged(environment, clock(), 'everywhere').map((file) => ({
    what: 'backup',
    how: 'removed',
    call_id: null,
    task: null,
    place: file,
    told: `${file}, a conversation as it was more than ${KEPT_BACKUPS.days} days ago, was deleted`,
    fix: null,
  }));

const depthOf = ({ marker }: RegisterEntry) => marker.split('/').length;

/** Longer than any process takes to write an entry. */
const HALF_MS = 3_600_000;

function readRegister({ environment, clock }: Sweeping): FoundCall[] {
  const folder = registerFolder(environment);
  if (folder === null) return [];
  try {
    removeHalves(folder, new Date(clock().getTime() - HALF_MS));
    return readEntries(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [{ how: 'invalid', file: folder, why: error.message }];
  }
}

const UNSEEN: Swept = {
  what: 'record',
  how: 'unseen',
  call_id: null,
  task: null,
  place: '',
  told: 'there is no register to look at, since the user has no home of its own here: wrappers without a task that were killed are not known',
  fix: 'set HOME (or XDG_STATE_HOME) as it was set for them, and sweep again',
};

const mistakenEntry = ({ file, why }: Extract<FoundCall, { how: 'invalid' }>): Swept => ({
  what: 'record',
  how: 'failed',
  call_id: null,
  task: null,
  place: file,
  told: `${file} cannot be used: ${why}; nothing of it was touched`,
  fix: file.endsWith('.json')
    ? 'update tollgate if a newer one wrote it; else look at what it names, and remove it'
    : `make it a folder that none but you may write to (chmod 700 ${file}), and sweep again`,
});

/** An unexpected name makes the whole entry invalid. @returns an empty list for a call that is alive, or is over. */
export async function sweepEntry(file: string, entry: RegisterEntry, sweeping: Sweeping): Promise<Swept[]> {
  const folders = [
    ...(entry.task === null ? ([['attempt', entry.attempt]] as const) : []),
    ['temporary', entry.temporary] as const,
    ...entry.overlay_folders.map((folder) => ['overlay', folder] as const),
  ];
  const strange = folders.find(([what, folder]) => lookAtFolder(what, folder) === 'strange')?.[1] ?? astray(entry);
  if (strange !== null) return [mistakenEntry({ how: 'invalid', file, why: `${strange} was not made by tollgate` })];
  // Two sweeps may run at once; this one ignores what the other has settled.
  if (!existsSync(file)) return [];
  const swept = await sweepCall(entry, sweeping);
  if (swept === 'alive' || swept === 'left_to_its_task') return [];
  if (swept === 'nothing_left' || swept.how === 'settled' || swept.how === 'removed') removeEntry(file);
  if (swept === 'nothing_left' || (isUnswept(swept) && !existsSync(file))) return [];
  return swept.how === 'elsewhere' ? [{ ...swept, fix: `if that host or container is gone: rm ${file}` }] : [swept];
}

/** Checks the attempt's folder of a task's call, because every process that works in it is ended as one of the call. */
const astray = ({ task, attempt, call_id }: RegisterEntry): string | null =>
  task === null || attempt === path.join(task, 'state/attempts', call_id) ? null : attempt;

function tasksOf({ cwd, environment }: Sweeping): string[] {
  const folder = path.join(projectState(cwd, environment), 'task');
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const tasks = entries.filter((entry) => entry.isDirectory() && checkTaskId(entry.name) === null);
    return tasks.map(({ name }) => path.join(folder, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}

/** A full disk, or an unexpected record, must not prevent the other sweeps. */
/** Reports what cannot be swept, instead of an error. */
export async function guarded(place: string, look: () => Promise<Swept[]>): Promise<Swept[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = error as Error;
    const [told, fix] = isSystemError(error)
      ? [
          `${place} could not be swept: ${message}`,
          'make it readable and writable, with space on its disk, and sweep again',
        ]
      : [`${place} cannot be used: ${message}`, 'look at what it names, fix or remove it, and sweep again'];
    return [{ what: 'record', how: 'failed', call_id: null, task: null, place, told, fix }];
  }
}

/** Longer than any known call takes. A younger folder may belong to another container, whose processes are not visible here. */
const OLD_MS = 24 * 3_600_000;

/**
 * Removes our folders that no register lists: from before there was one, or from where none could be written.
 * Removes folders that have not changed for a day and that no other user may enter. No living process may have them in its
 * environment, open, or as its folder. Only Linux shows this, so on other systems they remain.
 */
async function sweepStrays({ environment, clock }: Sweeping): Promise<Swept[]> {
  if (process.platform !== 'linux') return [];
  const before = clock().getTime() - OLD_MS;
  const strays = placesOf(environment).flatMap(([what, parent]) =>
    namesIfAny(parent)
      .map((name) => ({ what, folder: path.join(parent, name) }))
      .filter(({ folder }) => lookAtFolder(what, folder) === 'ours' && isStill(folder, before)),
  );
  if (strays.length === 0) return [];
  const used = usedText();
  return strays.flatMap(({ what, folder }) => {
    if (used.includes(folder) || !removePrivateFolder(what, folder)) return [];
    const told = `${folder}, in which nothing changed for a day and that no call uses, was removed`;
    return [{ what: 'folder', how: 'removed', call_id: null, task: null, place: folder, told, fix: null }];
  });
}

/** Uses the places that nameAttempt and gemini's overlay choose. Folders of another home are not touched. */
function placesOf({ TMPDIR, XDG_RUNTIME_DIR, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): [PrivateFolderKind, string][] {
  const bases = [XDG_RUNTIME_DIR, XDG_CACHE_HOME, HOME && path.join(HOME, '.cache')];
  const overlays = new Set(bases.filter((base): base is string => !!base && path.isAbsolute(base)));
  return [
    ['temporary', path.resolve(TMPDIR || tmpdir())],
    ...[...overlays].map((base): [PrivateFolderKind, string] => ['overlay', path.join(base, 'tollgate')]),
  ];
}

function isStill(folder: string, before: number): boolean {
  try {
    const found = lstatSync(folder);
    if ((found.mode & 0o077) !== 0) return false;
    const names = readdirSync(folder).map((name) => path.join(folder, name));
    return [folder, ...names].every((file) => lstatSync(file).mtimeMs < before);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}

/** Collects every readable environment, open file, working folder and command line. */
function usedText(): string {
  const pieces: string[] = [];
  const look = (read: () => string) => {
    try {
      pieces.push(read());
    } catch {
      // The process is gone, or belongs to another user, who could not enter the folder.
    }
  };
  for (const pid of namesIfAny('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const name of ['environ', 'cmdline']) look(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
    look(() => readlinkSync(`/proc/${pid}/cwd`));
    for (const fd of namesIfAny(`/proc/${pid}/fd`)) look(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
  }
  return pieces.join('\n');
}
