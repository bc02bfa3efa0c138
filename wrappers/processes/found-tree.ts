// A tree that is known from a record: its root counts only if it is that very process and bears the call's marker.

import { type ProcessIdentity, placeOf } from '../../policies/process-identity.ts';
import type { Tree } from './end-tree.ts';
import { identify } from './identity.ts';
import { processTable } from './table.ts';

/** Whoever can write the record could name a stranger there, or its number may have been given to one. */
export async function foundTree(marker: string, root: ProcessIdentity | null): Promise<Tree> {
  const self = await identify(process.pid);
  if (root === null || self === null || placeOf(root, self) !== 'here') return { root: null, marker };
  const row = await processTable.row(root.pid);
  if (row === null || row.startTime !== root.start_time) return { root: null, marker };
  const borne = (await processTable.markers([row])).get(row.pid);
  if (borne !== marker) return { root: null, marker };
  const sinceMs = Number.NEGATIVE_INFINITY;
  return { root: { pid: root.pid, startTime: root.start_time, sinceMs, ours: 'found' }, marker };
}
