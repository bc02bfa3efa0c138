// A cgroup (version 2) for the processes of one call: what it starts stays in it, as whatever user, and the kernel ends all of it at once.

import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

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

/**
 * Starts a child in a new group. We enter the group for that moment, since a child begins in the group of its parent:
 * one that is moved later could have started others before.
 * @returns `group` is null where none could be made; the child is started all the same.
 */
export function startInGroup<T>(marker: string, start: () => T): { started: T; group: string | null } {
  const home = ownGroup()?.group ?? null;
  const group =
    home === null ? null : enter(path.join(home, nameOf(marker) ?? `${PREFIX}${marker.replaceAll('/', '.')}`));
  try {
    return { started: start(), group };
  } finally {
    if (group !== null) write(path.join(home!, 'cgroup.procs'), SELF);
  }
}

/** The kernel reads it as whoever writes. */
const SELF = '0';

function enter(group: string): string | null {
  try {
    removeAbandoned(path.dirname(group));
    mkdirSync(group, 0o700);
  } catch {
    return null;
  }
  if (write(path.join(group, 'cgroup.procs'), SELF)) return group;
  removeGroup(group);
  return null;
}

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
