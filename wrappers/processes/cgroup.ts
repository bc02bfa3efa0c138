// A cgroup (version 2) for the processes of one call: what it starts stays in it, as whatever user, and the kernel ends all of it at once.

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
import { readIfFit } from '../../state/disk/regular-file.ts';

const PREFIX = 'tollgate-';
/** The last call of a marker, and what it is of that call: `gate-acceptance`. */
const OWN_PART = /(?:^|\/)(\d{14}-[0-9a-f]{8}(?:\/[^/\d][^/]*)?)$/;

/** Where the cgroups of this machine are, and that of this process. `group` is null where no group can be made below it. */
interface OwnGroup {
  mount: string;
  group: string | null;
}

/** null where this system has no cgroups of version 2. */
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

/** `… root mount options - type source …`; octal escapes stand for spaces. */
function mountIn(mountinfo: string): { root: string; mount: string } | null {
  const found = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountinfo);
  if (found === null) return null;
  const [root, mount] = [found[1]!, found[2]!].map((word) =>
    word.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
  );
  return { root: root!, mount: mount! };
}

/** Makes the group of a call; null where none can be made. */
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
 * The words that start a program within a group: a shell enters the group and becomes the program. Who is moved later could
 * have started others before, and to go in and out ourselves takes the kernel 25 ms.
 * @returns null for an environment that a shell does not hand on whole: {@link moveInto} comes after the start then.
 */
export function startWithin(group: string, words: readonly string[], environment: NodeJS.ProcessEnv): string[] | null {
  if (!Object.keys(environment).every((name) => /^[A-Za-z_]\w*$/.test(name))) return null;
  return [SHELL, '-c', ENTER, group, ...words];
}

/** The kernel reads 0 as whoever writes. A group that cannot be entered is done without. */
const ENTER = 'echo 0 2>/dev/null >"$0/cgroup.procs"; exec "$@"';

export const moveInto = (group: string, pid: number): boolean => write(path.join(group, 'cgroup.procs'), `${pid}`);

/** What the shell says where it could not become the program, behind the name that we gave it; null where it did. */
export function notExecuted(group: string, exitCode: number | null, stderr: string): string | null {
  if (exitCode !== 126 && exitCode !== 127) return null;
  try {
    const said = readIfFit(stderr, MAX_SAID);
    return said?.startsWith(`${group}: `) ? said.slice(group.length + 2).trim() : null;
  } catch {
    return null;
  }
}

/** A path has 4 kB at the most. */
const MAX_SAID = 16 * 1024;

/** Empty ones of guardians that were killed. One that another guardian has made this moment is not entered yet. */
function removeAbandoned(home: string): void {
  for (const group of groupsIn(home))
    if (path.basename(group).startsWith(PREFIX) && lstatSync(group).mtimeMs < Date.now() - YOUNG_MS) removeGroup(group);
}

const YOUNG_MS = 60_000;

/** null for a marker that no call has. */
function nameOf(marker: string): string | null {
  const own = OWN_PART.exec(marker)?.[1];
  return own === undefined ? null : `${PREFIX}${own.replace('/', '.')}`;
}

/** The id of the call in whose group this process runs, or null. */
export const groupedCall = (): string | null =>
  /\/tollgate-(\d{14}-[0-9a-f]{8})\b[^\n]*$/m.exec(readQuietly('/proc/self/cgroup') ?? '')?.[1] ?? null;

/** The group of a call whose guardian is gone; null where there is none of ours. An empty one is removed. */
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

/** Some hundred are usual. */
const MOST_GROUPS = 20_000;

function isOwn(folder: string): boolean {
  try {
    return lstatSync(folder).uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** The numbers of all processes in it and below; empty where it is gone. */
export const membersOfGroup = (group: string): number[] => [
  ...(readQuietly(path.join(group, 'cgroup.procs')) ?? '')
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0),
  ...groupsIn(group).flatMap(membersOfGroup),
];

/** Ends all in it and below, whoever owns them. Kernels before 5.14 cannot. */
export const killGroup = (group: string): boolean => write(path.join(group, 'cgroup.kill'), '1');

/** With those below; one in which a process lives stays. */
export function removeGroup(group: string): null {
  for (const below of groupsIn(group)) removeGroup(below);
  try {
    rmdirSync(group);
  } catch {
    // It is gone, or a sweep removes it once its last process has ended.
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

function readQuietly(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

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
