// The processes of a call that the journal holds.

import type { Call } from '../../state/journal/ledger.ts';
import type { Tree } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { savedMarker, savedTemporary } from './believed-draft.ts';

/** What a call started, by what its journal and its attempt's folder still tell; an agent may have written in both. */
export function treeOf(open: Call, folder: string): Promise<Tree> {
  const { call_id, guardian } = open.reserved;
  return foundTree({
    // Without its draft the marker's outer part is not known, but the call's own id is.
    marker: savedMarker(folder, open) ?? call_id,
    root: open.started?.cli ?? null,
    guardian,
    folders: [folder, ...savedTemporary(folder, open)],
  });
}
