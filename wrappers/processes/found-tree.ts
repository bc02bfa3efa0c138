// Builds a tree from a record: its root counts only if it is the same process and has the call's marker.

import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import type { Container } from '../prefix.ts';
import { findGroup } from './cgroup.ts';
import type { Tree } from './end-tree.ts';
import { identify } from './identity.ts';
import { processTable } from './table.ts';

/** Any process that can write the record could have named foreign processes in it. */
interface RecordedTree {
  marker: string;
  /** null if it was never recorded. */
  root: ProcessIdentity | null;
  /** It existed before anything that the call started; null if it is not known. */
  guardian: ProcessIdentity | null;
  /** Private folders, in which no other process writes or works. */
  folders: readonly string[];
  container?: Container | null;
}

/** All code that ends the processes of a dead guardian finds them with this function, so that all end the same ones. */
export async function foundTree({ marker, root, guardian, folders, container = null }: RecordedTree): Promise<Tree> {
  const self = (await identify(process.pid))!;
  const since = guardian !== null && placeOf(guardian, self) === 'here' ? guardian.start_time : null;
  const found = {
    root: root && (await foundRoot(marker, root, self)),
    marker,
    since,
    group: findGroup(marker),
    folders,
  };
  return container === null ? found : { ...found, container };
}

/** The pid may have been reused. */
async function foundRoot(marker: string, root: ProcessIdentity, self: ProcessIdentity): Promise<Tree['root']> {
  if (placeOf(root, self) !== 'here') return null;
  const row = await processTable.row(root.pid);
  if (row === null || row.startTime !== root.start_time) return null;
  const borne = (await processTable.markers([row])).get(row.pid);
  if (borne !== marker) return null;
  return { pid: root.pid, startTime: root.start_time, sinceMs: Number.NEGATIVE_INFINITY, ours: 'found' };
}
