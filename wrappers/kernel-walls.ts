// Checks what the kernel offers to end a process that escapes its call, whatever identifying signs the process has shed.

import { accessSync, constants, readFileSync } from 'node:fs';
import { type CheckAnswer, say } from '../policies/facts/finding.ts';
import { tried } from '../policies/text/tried.ts';
import { ownGroup } from './processes/cgroup.ts';

/** A machine, as its kernel describes it. */
interface Kernel {
  platform: NodeJS.Platform;
  uid: number;
  /** Reads a file of /proc, without trailing white space; null if there is no such file. */
  read(file: string): string | null;
  canWrite(file: string): boolean;
}

export const checkEscapes = ({ uid }: { uid: number }): CheckAnswer =>
  judgeEscapes({ platform: process.platform, uid, read, canWrite });

export function judgeEscapes(kernel: Kernel): CheckAnswer {
  if (kernel.platform !== 'linux')
    return say('note', `${ESCAPE}; this system offers no protection against that`, CONTAINER);
  const group = ownGroup(kernel.read, kernel.canWrite)?.group ?? null;
  const cgroup =
    group === null ? NO_GROUP : `each call runs in its own cgroup below ${group}, which ends with the call`;
  if (hasNamespaces(kernel)) return say('ok', `${cgroup}; to contain a whole run: ${UNSHARE} tollgate run TASK`);
  return group === null ? say('note', `${ESCAPE}; ${cgroup}, and no PID namespace`, CONTAINER) : say('ok', cgroup);
}

const NO_GROUP = 'this user cannot create a cgroup (version 2) here';
const ESCAPE =
  'a process that clears its environment, starts a session and loses its parents within a quarter of a second survives its call';
const CONTAINER = 'run untrusted work in a container, and stop the container';
/** The run is the first process of this namespace: when it ends, the kernel ends all others. */
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

const read = (file: string): string | null => tried(() => readFileSync(file, 'utf8').trimEnd());

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
