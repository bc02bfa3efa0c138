// Manages the cgroup (version 2) of a call: its processes stay in it under any user, and the kernel ends all of it at once.

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';

const PREFIX = 'tollgate-';
/** The last call of a marker, with its part of that call: `gate-acceptance`. */
const OWN_PART = /(?:^|\/)(\d{14}-[0-9a-f]{8}(?:\/[^/\d][^/]*)?)$/;

/** The folder of this machine's cgroups, and that of this process. `group` is null if no group can be made below it. */
interface OwnGroup {
  mount: string;
  group: string | null;
}

/** @returns null if this system has no cgroups of version 2. */
export function ownGroup(read = readQuietly, canWrite = isWritable): OwnGroup | null {
  const place = mountIn(read('/proc/self/mountinfo') ?? '');
  const name = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  if (place === null || name === undefined) return null;
  const below = path.posix.relative(place.root, name);
  if (below.startsWith('..')) return { mount: place.mount, group: null };
  const folder = path.posix.join(place.mount, below);
  const isOurs = canWrite(folder) && canWrite(path.posix.join(folder, 'cgroup.procs'));
  return { mount: place.mount, group: isOurs ? folder : null };
}

/** Parses `… root mount options - type source …`; octal escapes encode spaces. */
function mountIn(mountinfo: string): { root: string; mount: string } | null {
  const found = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountinfo);
  if (found === null) return null;
  const [root, mount] = [found[1]!, found[2]!].map((word) =>
    word.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
  );
  return { root: root!, mount: mount! };
}

/** Makes the group of a call; returns null if none can be made. */
export function makeGroup(marker: string): string | null {
  const home = ownGroup()?.group ?? null;
  if (home === null || !existsSync(SHELL)) return null;
  const group = path.join(home, nameOf(marker) ?? `${PREFIX}${marker.replaceAll('/', '.')}`);
  try {
    removeAbandoned(home);
    mkdirSync(group, 0o700);
    return group;
  } catch {
    return null;
  }
}

const SHELL = '/bin/sh';

/**
 * Returns the arguments that start a program within a group: a shell enters the group and becomes the program. A process that is
 * moved later could have started others before. To enter and leave the group ourselves takes the kernel 25 ms.
 * @returns null for an environment that a shell does not pass on completely. Then {@link moveInto} is called after the start.
 */
export function startWithin(group: string, words: readonly string[], environment: NodeJS.ProcessEnv): string[] | null {
  if (!Object.keys(environment).every((name) => /^[A-Za-z_]\w*$/.test(name))) return null;
  return [SHELL, '-c', ENTER, group, ...words];
}

/** The kernel reads 0 as the process that writes. If the group cannot be entered, the program runs without it. */
const ENTER = 'echo 0 2>/dev/null >"$0/cgroup.procs"; exec "$@"';

export const moveInto = (group: string, pid: number): boolean => write(path.join(group, 'cgroup.procs'), `${pid}`);

/** Returns the shell's message, without our name for the shell, if the shell could not become the program; otherwise null. */
export function notExecuted(group: string, exitCode: number | null, stderr: string): string | null {
  if (exitCode !== 126 && exitCode !== 127) return null;
  try {
    const said = readIfFit(stderr, MAX_SAID);
    return said?.startsWith(`${group}: `) ? said.slice(group.length + 2).trim() : null;
  } catch {
    return null;
  }
}

/** A path has at most 4 kB. */
const MAX_SAID = 16 * 1024;

/** Removes empty groups of guardians that were killed. */
function removeAbandoned(home: string): void {
  for (const group of groupsIn(home))
    if (path.basename(group).startsWith(PREFIX) && isAbandoned(group)) removeGroup(group);
}

/** A young group may belong to a guardian that has not entered it yet. One that has just gone is none. */
const isAbandoned = (group: string): boolean => tried(() => lstatSync(group).mtimeMs < Date.now() - YOUNG_MS) ?? false;

const YOUNG_MS = 60_000;

/** @returns null for a marker that no call has. */
function nameOf(marker: string): string | null {
  const own = OWN_PART.exec(marker)?.[1];
  return own === undefined ? null : `${PREFIX}${own.replace('/', '.')}`;
}

/** The id of the call in whose group this process runs, or null. */
export const groupedCall = (): string | null =>
  /\/tollgate-(\d{14}-[0-9a-f]{8})\b[^\n]*$/m.exec(readQuietly('/proc/self/cgroup') ?? '')?.[1] ?? null;

/** Finds the group of a call whose guardian is gone; null if we own none. Removes an empty one. */
export function findGroup(marker: string): string | null {
  const wanted = nameOf(marker);
  const mount = wanted === null ? undefined : ownGroup()?.mount;
  if (mount === undefined) return null;
  const folders = [mount];
  for (let at = 0; at < folders.length && at < MOST_GROUPS; at += 1) {
    const folder = folders[at]!;
    if (path.basename(folder) === wanted && isOwn(folder))
      return membersOfGroup(folder).length > 0 ? folder : removeGroup(folder);
    folders.push(...groupsIn(folder));
  }
  return null;
}

/** A machine usually has some hundreds. */
const MOST_GROUPS = 20_000;

const isOwn = (folder: string): boolean => tried(() => lstatSync(folder).uid === process.getuid?.()) ?? false;

/** The pids of all processes in the group and below; empty if the group is gone. */
export const membersOfGroup = (group: string): number[] => [
  ...(readQuietly(path.join(group, 'cgroup.procs')) ?? '')
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0),
  ...groupsIn(group).flatMap(membersOfGroup),
];

/** Ends all processes in the group and below, of any user. Kernels before 5.14 cannot do this. */
export const killGroup = (group: string): boolean => write(path.join(group, 'cgroup.kill'), '1');

/** Removes the group and those below it. A group in which a process lives remains. */
export function removeGroup(group: string): null {
  for (const below of groupsIn(group)) removeGroup(below);
  try {
    rmdirSync(group);
  } catch {
    // It is gone, or a sweep removes it after its last process has ended.
  }
  return null;
}

function groupsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [path.join(folder, entry.name)] : [],
    );
  } catch {
    return [];
  }
}

const readQuietly = (file: string): string | null => tried(() => readFileSync(file, 'utf8'));

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
