// Finds the processes of a call that is in the journal.

import type { Call } from '../../state/journal/ledger.ts';
import type { Tree } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { savedMarker, savedTemporary } from './believed-draft.ts';

/** Finds what a call started, from its journal and its attempt's folder. An agent may have written to both. */
export function treeOf(open: Call, folder: string): Promise<Tree> {
  const { call_id, guardian } = open.reserved;
  return foundTree({
    // Without the draft, the outer part of the marker is not known, but the call's own id is.
    marker: savedMarker(folder, open) ?? call_id,
    root: open.started?.cli ?? null,
    guardian,
    folders: [folder, ...savedTemporary(folder, open)],
  });
}
