// Changes a distillation that is not being driven, under a claim that keeps drivers away, or notifies its driver.

import { type LeftWish, leaveWish } from '../../state/distill/wishes.ts';
import { claim } from '../task/claim.ts';
import { recorderOf } from './distill-run.ts';
import { deleteSection } from './drive.ts';
import { documentOf, driverOf, type OpenDistill, readableHistory } from './open-run.ts';

type AtRest = 'done' | 'taken' | 'no_such_section';

/** @returns `taken`: it is being driven; then its driver must be notified. */
export async function changeAtRest(
  open: OpenDistill,
  wish: LeftWish | { wish: 'stop' },
  clock: () => Date,
): Promise<AtRest> {
  const { folder, checkpoint, journal } = open;
  const claimed = await claim({ journal, whenTaken: 'refuse', stop: new AbortController().signal, say: () => {} });
  if (claimed.how !== 'claimed') return 'taken';
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

/**
 * Notifies the process that drives it, even one that began after `open` was read.
 * @returns `at_rest` if no process drives it.
 */
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
