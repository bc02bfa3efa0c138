// Changes a distillation that nobody drives: it is claimed for that moment, so that nobody begins to drive it meanwhile; or tells its driver.

import { type LeftWish, leaveWish } from '../../state/distill/wishes.ts';
import { claim } from '../task/claim.ts';
import { documentOf, driverOf, type OpenDistill, readableHistory } from './open-run.ts';
import { recorderOf } from './run/distill-run.ts';
import { deleteSection } from './turns/delete-section.ts';

type AtRest = 'done' | 'taken' | 'no_such_section';

/** @returns `taken`: it is driven; then its driver is to be told. */
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

/** Whoever drives it is told, and one who began since `open` was read as well. @returns `at_rest` where nobody does. */
export async function askToEnd(
  open: OpenDistill,
  wish: 'pause' | 'stop',
  clock: () => Date,
): Promise<'told' | 'at_rest'> {
  const isIdle = (await driverOf(open.ledger)) === null;
  // What is paused says why, and goes on saying it.
  if (isIdle && (wish === 'pause' || (await changeAtRest(open, { wish }, clock)) !== 'taken')) return 'at_rest';
  const { ledger } = isIdle ? open.journal.read() : open;
  // Whoever had it has let go of it again.
  if (ledger.run === null) return askToEnd({ ...open, ledger }, wish, clock);
  leaveWish(open.folder, { wish, run: ledger.run.run_id }, clock());
  return 'told';
}
