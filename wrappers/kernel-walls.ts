// What the kernel offers against a process that leaves its call: such a wall ends it whatever it has shed.

import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import { type CheckAnswer, say } from '../policies/facts/finding.ts';

/** A machine as its kernel tells of it. */
interface Kernel {
  platform: NodeJS.Platform;
  uid: number;
  /** A file of /proc, without white space at its end; null where there is none. */
  read(file: string): string | null;
  canWrite(file: string): boolean;
}

export const checkEscapes = ({ uid }: { uid: number }): CheckAnswer =>
  judgeEscapes({ platform: process.platform, uid, read, canWrite });

export function judgeEscapes(kernel: Kernel): CheckAnswer {
  if (kernel.platform !== 'linux') return say('note', `${ESCAPE}; this system offers nothing against it`, CONTAINER);
  const group = ownGroup(kernel);
  const killed = group === null ? [] : [`cgroup.kill in ${group}`];
  if (hasNamespaces(kernel))
    return say(
      'ok',
      `${['a PID namespace', ...killed].join(', ')}; a run that lets nothing out: ${UNSHARE} tollgate run TASK`,
    );
  const [offer = 'neither a PID namespace nor a cgroup of its own'] = killed;
  return say('note', `${ESCAPE}; this kernel offers ${offer}`, CONTAINER);
}

const ESCAPE =
  'a process that clears its environment, begins a session and loses its parents within a quarter of a second outlives its call';
const CONTAINER = 'run what you do not trust in a container, and end that';
/** Whose first process is the run: with it the kernel ends all others. */
const UNSHARE = 'unshare --user --map-current-user --pid --fork --mount-proc --kill-child';

function hasNamespaces({ uid, read }: Kernel): boolean {
  const most = (kind: string) => Number(read(`/proc/sys/user/max_${kind}_namespaces`) ?? 0);
  if (most('user') === 0 || most('pid') === 0) return false;
  if (uid === 0) return true;
  return (
    read('/proc/sys/kernel/unprivileged_userns_clone') !== '0' &&
    read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') !== '1'
  );
}

/** Our own group of the second kind of cgroups, where we may make others below it; null where there is none. */
function ownGroup({ read, canWrite }: Kernel): string | null {
  const name = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  if (name === undefined) return null;
  const folder = path.join('/sys/fs/cgroup', name);
  return canWrite(path.join(folder, 'cgroup.procs')) && canWrite(folder) ? folder : null;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
