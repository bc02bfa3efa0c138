// Checks whether the live document may be written to its place: no other file is there, and its folder exists or can be made.

import path from 'node:path';
import { withoutMarker } from '../../policies/distill/completion.ts';
import { foldStanding } from '../../policies/distill/standing.ts';
import { kindOf, lookAt } from '../../state/disk/regular-file.ts';
import type { DistillCheckpoint } from '../../state/distill/checkpoint.ts';
import { isMadeOf } from '../../state/distill/live-document.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import { turnOrNull } from '../../state/distill/turns.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { documentOf } from './open-run.ts';

interface Placing {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  /** The previous checkpoint; null for a run that begins. */
  seen: DistillCheckpoint | null;
}

/** @returns what is wrong with the place, or null. */
export function placeMistake({ folder, checkpoint, seen }: Placing): string | null {
  const { book, prompt_file, out } = checkpoint;
  const file = documentOf(checkpoint);
  const obstacle = firstNoFolder(out);
  if (obstacle !== null)
    return `the live document would go to ${file}, and ${obstacle} is no folder; name another place with --out`;
  if (isSame(file, book) || (prompt_file !== null && isSame(file, prompt_file)))
    return `the live document would be ${file}, which the distillation reads; name another folder with --out`;
  // A document in the run's own folder, or in its earlier place, is ours. If we did not write its content, it is moved aside
  // there.
  if (out === folder.root || (seen !== null && documentOf(seen) === file)) return null;
  const kind = kindOf(file);
  return kind === null || (seen !== null && isMadeOf(file, textsOf(folder, checkpoint)))
    ? null
    : `the live document would be ${file}, and ${kind} is there already; move it away, or name another folder with --out`;
}

/** Returns the texts of all answers: a document in its earlier place may hold sections that were deleted since. */
function textsOf(folder: DistillFolder, { end_marker }: DistillCheckpoint): string[] {
  const { turns } = foldStanding(openJournal(folder.root, () => new Date()).read().ledger.distilled).standing();
  return Array.from({ length: turns }, (_, i) => turnOrNull(folder, i + 1)).flatMap((kept) =>
    kept === null ? [] : [withoutMarker(kept.answer.text, end_marker)],
  );
}

/** Returns the nearest existing part of the path, if it is not a folder. */
function firstNoFolder(place: string): string | null {
  const found = lookAt(place);
  if (found !== null) return found.isDirectory() ? null : place;
  // A dangling symlink.
  if (kindOf(place) !== null) return place;
  const above = path.dirname(place);
  return above === place ? null : firstNoFolder(above);
}

/** Compares the files themselves, whatever their names are. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [lookAt(one), lookAt(other)];
  return a !== null && b !== null && a.dev === b.dev && a.ino === b.ino;
}
