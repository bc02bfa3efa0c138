// Finds out from the file itself what became of an edit that a crash interrupted.

import type { EditEntry, EditState, KnownEdit } from '../../policies/session/session-edits.ts';
import { hashesOf, sight } from '../../state/compare-and-swap-file.ts';
import { type EditsLedger, settleEdit } from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';

interface SettledEdits {
  edits: KnownEdit[];
  /** A sentence for each edit that was cut off. */
  notes: string[];
}

/** The same, written down; a ledger that cannot be written is asked again the next time. */
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

/** The CLI may have gone on behind either version; of two that both fit the longer one says more. */
export function stateIn({ before, after }: Pick<EditEntry, 'before' | 'after'>, file: string): EditState {
  const bytes = sight(file)?.bytes ?? 0;
  const longerFirst = [
    { ...before, state: 'failed' as const },
    { ...after, state: 'made' as const },
  ].sort((a, b) => b.bytes - a.bytes);
  const found = longerFirst.find(
    (version) => version.bytes <= bytes && hashesOf(file, [version.bytes])[0] === version.sha256,
  );
  // Its CLI has written the file anew: what was planned then is nobody's any more.
  return found?.state ?? 'failed';
}
