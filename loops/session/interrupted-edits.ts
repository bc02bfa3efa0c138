// Determines from the file itself whether an edit that a crash interrupted was made.

import type { EditEntry, EditState, KnownEdit } from '../../policies/session/session-edits.ts';
import { hashesOf, sight } from '../../state/compare-and-swap-file.ts';
import { type EditsLedger, settleEdit } from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';

interface SettledEdits {
  edits: KnownEdit[];
  /** A sentence for each interrupted edit. */
  notes: string[];
}

/** Also records the result. If the ledger cannot be written, the next call tries it again. */
export function settleInterruptedEdits(
  ledger: EditsLedger,
  edits: readonly KnownEdit[],
  session: { file: string },
  clock: () => Date,
): SettledEdits {
  const settled = lookAtInterruptedEdits(edits, session);
  for (const [i, { n, state }] of settled.edits.entries())
    if (edits[i]!.state === 'planned' && state !== 'planned')
      try {
        settleEdit(ledger, n, state, clock());
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
  return settled;
}

/** Writes nothing. */
export function lookAtInterruptedEdits(edits: readonly KnownEdit[], { file }: { file: string }): SettledEdits {
  const notes: string[] = [];
  const settled = edits.map((edit) => {
    if (edit.state !== 'planned') return edit;
    const state = stateIn(edit, file);
    const is = state === 'made' ? 'was made before that' : 'was not made';
    notes.push(`an edit of ${edit.at} (${edit.what}) was cut off by a crash; it ${is}`);
    return { ...edit, state };
  });
  return { edits: settled, notes };
}

/** The CLI may have continued from either version. If both match, the longer one is the better evidence. */
export function stateIn({ before, after }: Pick<EditEntry, 'before' | 'after'>, file: string): EditState {
  const bytes = sight(file)?.bytes ?? 0;
  const longerFirst = [
    { ...before, state: 'failed' as const },
    { ...after, state: 'made' as const },
  ].sort((a, b) => b.bytes - a.bytes);
  const found = longerFirst.find(
    (version) => version.bytes <= bytes && hashesOf(file, [version.bytes])[0] === version.sha256,
  );
  // The CLI has rewritten the file, so the planned edit no longer applies.
  return found?.state ?? 'failed';
}
