// Handles the remains of a killed process: accepts an answer on disk, and records a request in progress as lost.

import { LOST } from '../../../policies/rules/endings.ts';
import { turnOrNull } from '../../../state/distill/turns.ts';
import { openCalls } from '../../../state/journal/ledger.ts';
import type { DistillRun } from '../run/distill-run.ts';
import { close } from './ask.ts';
import { takeIn } from './take-turn.ts';

/** @returns a sentence for each. */
export function takeLeftovers(run: DistillRun): string[] {
  const notes: string[] = [];
  const standing = run.fold.standing();
  const leftover = turnOrNull(run.folder, standing.turns + 1);
  const answered = new Set(run.ledger.distilled.flatMap((line) => (line.fact === 'answered' ? [line.call_id] : [])));
  for (const { reserved } of openCalls(run.ledger)) {
    if (answered.has(reserved.call_id)) continue;
    if (leftover?.call_id === reserved.call_id) {
      takeIn(leftover, 0, run);
      notes.push(`the answer to section ${leftover.section} was paid for and lay on disk; it is taken`);
      continue;
    }
    close(reserved.call_id, LOST, run);
    run.trace({
      at: run.context.clock().toISOString(),
      kind: 'lost',
      section: reserved.attempt,
      call_id: reserved.call_id,
    });
    notes.push(`section ${reserved.attempt} was in flight when its process ended, and is requested once more`);
  }
  return notes;
}
