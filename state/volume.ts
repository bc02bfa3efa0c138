// Checks the volume of the state: whether it can be written, its free room, and whether it is on this machine.

import { randomUUID } from 'node:crypto';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import path from 'node:path';

/** Writes a block to the disk and removes it again. Throws what the operating system throws. */
export async function probeWrite(folder: string): Promise<void> {
  const file = path.join(folder, `.tollgate-probe-${randomUUID()}`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(Buffer.alloc(4096));
    await handle.sync();
  } finally {
    await handle.close();
    await unlink(file);
  }
}

/** The folder in which a missing folder would be made: a user who may write there may make it. */
export function nearestExisting(folder: string): { at: string; isFolder: boolean } {
  let at = path.resolve(folder);
  while (!existsSync(at)) at = path.dirname(at);
  return { at, isFolder: statSync(at).isDirectory() };
}

/**
 * Why paid calls cannot be counted in a task's folder, or null. On Linux it depends on the kind of the file system, and no flag
 * overrides it. There, appends of two machines to one file may overwrite each other, and the count with them.
 */
export function networkMistake(taskFolder: string): string | null {
  const { at } = nearestExisting(taskFolder);
  const { reach, kind } = readVolume(at);
  if (reach !== 'network') return null;
  return `${taskFolder} is on a network file system (${kind}), where paid calls cannot be counted; nothing was started. Point TOLLGATE_STATE at a folder on a local disk, and have the task there`;
}

interface Volume {
  freeBytes: number;
  /** null if the file system has no fixed number of files. */
  freeFiles: number | null;
  /** By the kind of the file system on Linux; `unknown` elsewhere. */
  reach: Reach;
  kind: string;
}

export function readVolume(folder: string): Volume {
  const { bavail, bsize, files, ffree, type } = statfsSync(folder);
  const known = process.platform === 'linux' ? FILE_SYSTEMS[type >>> 0] : undefined;
  return {
    freeBytes: bavail * bsize,
    freeFiles: files > 0 ? ffree : null,
    reach: known?.reach ?? (process.platform === 'linux' ? 'local' : 'unknown'),
    kind: known?.kind ?? `0x${(type >>> 0).toString(16)}`,
  };
}

/** `network`: other machines write there too. `shared`: a host or a user program is in between, so they may. */
type Reach = 'local' | 'network' | 'shared' | 'unknown';

/** By the magic number of statfs(2). */
const FILE_SYSTEMS: Record<number, { kind: string; reach: Reach }> = {
  26985: { kind: 'NFS', reach: 'network' },
  20859: { kind: 'SMB', reach: 'network' },
  4283649346: { kind: 'CIFS', reach: 'network' },
  4266872130: { kind: 'SMB 2', reach: 'network' },
  1397113167: { kind: 'AFS', reach: 'network' },
  1799439955: { kind: 'kAFS', reach: 'network' },
  1937076805: { kind: 'Coda', reach: 'network' },
  12805120: { kind: 'Ceph', reach: 'network' },
  198183888: { kind: 'Lustre', reach: 'network' },
  1196443219: { kind: 'GPFS', reach: 'network' },
  428016422: { kind: 'BeeGFS', reach: 'network' },
  18225520: { kind: 'GFS2', reach: 'network' },
  1952539503: { kind: 'OCFS2', reach: 'network' },
  1702057286: { kind: 'FUSE', reach: 'shared' },
  16914839: { kind: '9P', reach: 'shared' },
  2020557398: { kind: 'VirtualBox shared folder', reach: 'shared' },
  3133910204: { kind: 'VMware shared folder', reach: 'shared' },
};
