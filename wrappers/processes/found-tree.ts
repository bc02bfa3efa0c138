// A tree that is known from a record: its root counts only if it is that very process and bears the call's marker.

import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import { findGroup } from './cgroup.ts';
import type { Tree } from './end-tree.ts';
import { identify } from './identity.ts';
import { processTable } from './table.ts';

/** Whoever can write the record could have named strangers in it. */
interface RecordedTree {
  marker: string;
  /** null where it was never noted. */
  root: ProcessIdentity | null;
  /** Whatever was started, it was there before; null where nobody knows it. */
  guardian: ProcessIdentity | null;
  /** Private ones, in which nobody else writes or works. */
  folders: readonly string[];
}

/** Everybody who ends what a dead guardian left finds it by this, so that all end the same. */
export async function foundTree({ marker, root, guardian, folders }: RecordedTree): Promise<Tree> {
  const self = (await identify(process.pid))!;
  const since = guardian !== null && placeOf(guardian, self) === 'here' ? guardian.start_time : null;
  return { root: root && (await foundRoot(marker, root, self)), marker, since, group: findGroup(marker), folders };
}

/** Its number may have been given to another. */
async function foundRoot(marker: string, root: ProcessIdentity, self: ProcessIdentity): Promise<Tree['root']> {
  if (placeOf(root, self) !== 'here') return null;
  const row = await processTable.row(root.pid);
  if (row === null || row.startTime !== root.start_time) return null;
  const borne = (await processTable.markers([row])).get(row.pid);
  if (borne !== marker) return null;
  return { pid: root.pid, startTime: root.start_time, sinceMs: Number.NEGATIVE_INFINITY, ours: 'found' };
}
