// Classifies, records, publishes and closes a call after its CLI has ended. It is loaded while the CLI runs.

import type { CallRecord } from '../../policies/record/call-record.ts';
import { noteEnded } from '../../state/calls/ended-calls.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { closeAttempt, closing } from '../attempt/close-attempt.ts';
import type { ClosingDraft, Draft } from '../attempt/draft.ts';
import { verdictFact } from './journal-facts.ts';
import { exitOf, judged, whatFailed } from './judged.ts';
import type { Ready } from './prepare.ts';
import { publishAll, publishEarly } from './publish.ts';
import { recordOf, sentenceOf } from './record.ts';
import { wayOut } from './registered.ts';

export { closing };

export interface Called {
  record: CallRecord;
  /** One sentence for the user if the call failed; null after a success. */
  message: string | null;
}

interface Concluding {
  ready: Ready;
  stop: AbortSignal;
  /** @returns whether the fact is in the journal. */
  note(fact: Fact): boolean;
}

/** Publishes the current record when a stop signal arrives, before any process is killed. */
export async function concludeEarly(draft: Draft, soFar: Outcome, stop: AbortSignal): Promise<void> {
  const told = closing(draft);
  publishEarly(told, await judgedRecord(told, soFar, stop));
}

/**
 * Uses the final state of the call. A success counts if the CLI reported it before our first signal
 * (`wrappers/following/cut.ts`).
 */
export async function conclude(draft: Draft, outcome: Outcome, { ready, stop, note }: Concluding): Promise<Called> {
  const { attempt, overlay, registered } = ready;
  const told = closing(draft);
  const { request } = told;
  const record = await judgedRecord(told, outcome, stop);
  if (record.verdict.class !== null) {
    const { logApiFailure } = await whatFailed();
    await logApiFailure({
      draft: told,
      attempt,
      outcome,
      record,
      runId: request.charge?.runId ?? null,
      again: 'first',
    });
  }
  const published = publishAll(told, attempt, record, outcome);
  // The verdict in the journal confirms that the result is published. Without it, the next run publishes the result from the
  // attempt.
  const isOpen = published.how === 'published' && !note(verdictFact(record));
  closeAttempt(attempt, overlay, told, isOpen ? OPEN : published);
  outcome.streams?.close();
  const isLeft = (outcome.left ?? []).length > 0;
  if (!isLeft && record.session_id !== null)
    noteEnded({ tool: record.tool, id: record.session_id }, request.call.environment);
  if (published.how === 'unpublished') return { record, message: `${published.why}; ${wayOut(told, registered)}` };
  if (!isLeft) registered.forget();
  return { record, message: sentenceOf(record, request) };
}

/** A process that finds no verdict in the journal classifies the call again from its raw files. */
const OPEN = { how: 'published', copied: false } as const;

async function judgedRecord(draft: ClosingDraft, outcome: Outcome, stop: AbortSignal): Promise<CallRecord> {
  const judgement = await judged(draft, outcome);
  return recordOf(draft, outcome, judgement, exitOf(draft, outcome, judgement, stop));
}
