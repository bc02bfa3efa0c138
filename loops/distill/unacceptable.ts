// Why no answer can be kept after all: none is held, or one that no history can hold; seen before anything is paid.

import { isEmptyAnswer } from '../../policies/distill/anomalies.ts';
import { foldStanding } from '../../policies/distill/standing.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import { keptTurn } from '../../state/distill/turns.ts';
import type { Journal } from '../../state/journal/journal.ts';

/** null where the answer that is held can be kept. */
export function unacceptable(folder: DistillFolder, journal: Journal): string | null {
  const { name } = folder;
  const { held } = foldStanding(journal.read().ledger.distilled).standing();
  if (held === null)
    return `no answer of ${name} is held, so that --accept has none to keep; tollgate distill resume ${name} goes on, and tollgate distill status ${name} shows where it stands`;
  if (isEmptyAnswer(keptTurn(folder, held.turn).answer))
    return `the answer that is held for section ${held.section} of ${name} is empty, and no history with an empty answer is taken; tollgate distill resume ${name} asks for that section again`;
  return null;
}
