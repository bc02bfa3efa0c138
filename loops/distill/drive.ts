// Drives a distillation by steps from its recorded state, each recorded before the next paid one; changes one that is at rest.

import { type DistillStanding, nextMove } from '../../policies/distill/distillation.ts';
import type { PauseReason } from '../../policies/distill/pauses.ts';
import { writeDocument } from '../../state/distill/live-document.ts';
import { leaveWish } from '../../state/distill/wishes.ts';
import { readVolume } from '../../state/volume.ts';
import { claim } from '../task/claim.ts';
import { type DistillRun, recorderOf } from './distill-run.ts';
import { documentOf, driverOf, type OpenDistill, readableHistory } from './open-run.ts';
import { takeTurn } from './take-turn.ts';
import { uploadAgain } from './upload.ts';

export interface DistillEnd {
  how: NonNullable<DistillStanding['halted']>['how'];
  reason: PauseReason | null;
  evidence: string;
}

/** Runs until it is complete, paused, stopped or interrupted. */
export async function drive(run: DistillRun): Promise<DistillEnd> {
  const { checkpoint, control, terms, context } = run;
  const unpricedBefore = run.fold.standing().spent.unpriced;
  for (;;) {
    for (const { section, again, obeyed } of control.deletions()) {
      deleteSection(section, again, run);
      obeyed();
    }
    const move = nextMove(run.fold.standing(), {
      budgets: { ...terms.budgets, maxTokens: checkpoint.max_tokens, maxUsd: checkpoint.max_usd, unpricedBefore },
      wish: control.wish(),
      elapsedMs: run.elapsedMs(),
      now: context.clock(),
    });
    switch (move.move) {
      case 'complete':
        return { how: 'complete', reason: null, evidence: 'the end marker is at the end of the last section' };
      case 'stop':
        return { how: 'stopped', reason: null, evidence: move.evidence };
      case 'interrupt':
        return INTERRUPTED;
      case 'pause':
        return { how: 'paused', reason: move.reason, evidence: move.evidence };
      case 'upload':
      case 'ask': {
        const full = await fullDisk(run);
        if (full !== null) return full;
        const ended = move.move === 'ask' ? await takeTurn(move, run) : await uploadAgain(move.why, run);
        if (ended?.how === 'paused') return { how: 'paused', reason: ended.reason, evidence: ended.evidence };
        if (ended?.how === 'stopped') return { how: 'stopped', reason: null, evidence: ended.evidence };
        // The user's request is the reason; the next move reports it.
        if (ended?.how === 'aborted' && control.wish() === null) return INTERRUPTED;
        break;
      }
      default:
        move satisfies never;
    }
  }
}

const INTERRUPTED: DistillEnd = { how: 'interrupted', reason: null, evidence: 'a signal ended it' };

/** An answer has at most some hundred kilobytes, and is stored in three files. */
const LEAST_BYTES = 4 * 1024 * 1024;

/** Runs before a paid request whose answer could not be stored. */
async function fullDisk({ folder }: DistillRun): Promise<DistillEnd | null> {
  const { freeBytes } = readVolume(folder.root);
  if (freeBytes >= LEAST_BYTES) return null;
  return {
    how: 'paused',
    reason: 'disk',
    evidence: `the disk of ${folder.root} has ${freeBytes} bytes free, too few to keep a paid answer`,
  };
}

/** Removes a section from the book and from the history; its answer remains on disk, in turns/. */
type Deleting = Pick<DistillRun, 'fold' | 'record' | 'history' | 'document' | 'documentBytes'> & {
  context: Pick<DistillRun['context'], 'tell'>;
};

/** @param again whether to request the section again, at its position. @returns whether there is such a section. */
function deleteSection(section: number, again: boolean, run: Deleting): boolean {
  if (!run.fold.standing().sections.some((one) => one.section === section)) return false;
  run.record({ fact: 'deleted', section, again });
  const before = run.history.texts();
  run.history.remove(section);
  run.documentBytes = writeDocument(run.document, run.history.texts(), before);
  run.context.tell({ event: 'deleted', section, again });
  return true;
}

type AtRest = 'done' | 'taken' | 'no_such_section';

/** @returns `taken`: it is being driven; then its driver must be notified. */
export async function changeAtRest(
  open: OpenDistill,
  wish: Parameters<typeof leaveWish>[1] | { wish: 'stop' },
  clock: () => Date,
): Promise<AtRest> {
  const { folder, checkpoint, journal } = open;
  const claimed = await claim({ journal, whenTaken: 'refuse', stop: new AbortController().signal, say: () => {} });
  if (claimed.how !== 'done') return 'taken';
  const run_id = claimed.runId;
  try {
    const kept = recorderOf(journal, clock);
    if (wish.wish !== 'delete') {
      const { complete, begun } = kept.fold.standing();
      if (begun !== null && !complete)
        kept.record({ fact: 'halted', run_id, how: 'stopped', reason: null, evidence: 'you asked for it' });
      return 'done';
    }
    const document = documentOf(checkpoint);
    const { history } = readableHistory(folder, checkpoint, kept.fold.standing());
    const run = { ...kept, history, document, documentBytes: 0, context: { tell: () => {} } };
    return deleteSection(wish.section, wish.again, run) ? 'done' : 'no_such_section';
  } finally {
    journal.append({ fact: 'released', run_id, exit_code: 0, state: 'interrupted' });
  }
}

/** Notifies the process that drives it, even one that began after `open` was read. @returns `at_rest` if none does. */
export async function askToEnd(
  open: OpenDistill,
  wish: 'pause' | 'stop',
  clock: () => Date,
): Promise<'notified' | 'at_rest'> {
  const isIdle = (await driverOf(open.ledger)) === null;
  // A paused distillation shows the reason, and keeps it.
  if (isIdle && (wish === 'pause' || (await changeAtRest(open, { wish }, clock)) !== 'taken')) return 'at_rest';
  const { ledger } = isIdle ? open.journal.read() : open;
  // The process that had claimed it has released it again.
  if (ledger.run === null) return askToEnd({ ...open, ledger }, wish, clock);
  leaveWish(open.folder, { wish, run: ledger.run.run_id }, clock());
  return 'notified';
}
