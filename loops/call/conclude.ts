// Classifies, records, publishes and closes a call after its CLI has ended. It is loaded while the CLI runs.

import { isSuccess, SUCCESS, visibleChars } from '../../policies/facts/evidence.ts';
import { stoppedBy } from '../../policies/facts/exit-codes.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { noteEnded } from '../../state/calls/call-register.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { closeAttempt, redactorFor } from '../attempt/close-attempt.ts';
import type { PreparedCall, RecordableCall } from '../attempt/phases.ts';
import { heldToSchema, notYetHeld } from './answer-schema.ts';
import type { Classified } from './classify.ts';
import { exitOf } from './exit.ts';
import { wayOut } from './prepare.ts';
import { publishAll, publishEarly } from './publish.ts';
import { recordOf, sentenceOf, verdictFact } from './record.ts';

export { redactorFor };

export interface Called {
  record: CallRecord;
  /** One sentence for the user if the call failed; null after a success. */
  message: string | null;
}

/** A call whose CLI runs or has ended. */
export type StartedCall = PreparedCall & RecordableCall;

/** Publishes the current record when a stop signal arrives, before any process is killed. @returns warnings. */
export async function concludeEarly(call: StartedCall, soFar: Outcome, stop: AbortSignal): Promise<string[]> {
  return publishEarly(call, await classifiedRecord(call, notYetHeld(call, soFar), stop));
}

/**
 * Uses the final state of the call. A success counts if the CLI reported it before our first signal
 * (`wrappers/following/cut.ts`).
 * @param note returns whether the fact is in the journal.
 */
export async function conclude(
  call: StartedCall,
  ended: Outcome,
  stop: AbortSignal,
  note: (fact: Fact) => boolean,
): Promise<Called> {
  const { attempt, overlay, registered, request } = call;
  const outcome = request.call.requires?.schema === undefined ? ended : await heldToSchema(call, ended);
  const classified = await classifiedRecord(call, outcome, stop);
  const { record, published } = publishAll(call, attempt, await logged(call, outcome, classified), outcome);
  // The verdict in the journal confirms that the result is published. Without it, the next run publishes the result from the
  // attempt.
  const isOpen = published.how === 'done' && !note(verdictFact(record));
  await request.published?.(record);
  closeAttempt(attempt, overlay, call, isOpen ? OPEN : published);
  outcome.streams?.close();
  const isLeft = (outcome.survivors ?? []).length > 0;
  if (!isLeft && record.session_id !== null)
    noteEnded({ tool: record.tool, id: record.session_id }, request.call.environment);
  if (published.how === 'failed') return { record, message: `${published.why}; ${wayOut(call)}` };
  if (!isLeft) registered.forget();
  return { record, message: sentenceOf(record, request) };
}

/** A process that finds no verdict in the journal classifies the call again from its raw files. */
const OPEN = { how: 'done', copied: false } as const;

async function classifiedRecord(call: StartedCall, outcome: Outcome, stop: AbortSignal): Promise<CallRecord> {
  const classified = await classify(call, outcome);
  const exit = exitOf(call.request.adapter, outcome, classified.verdict, stoppedBy(stop));
  return recordOf(call, outcome, classified, exit);
}

/** A success needs no rules. What classifies and logs every other outcome is loaded only when needed. */
const failures = () => import('./failed.ts');

async function classify(call: StartedCall, outcome: Outcome): Promise<Classified> {
  const { completed, answer } = outcome.capture;
  if (isSuccess({ completed, answerChars: visibleChars(answer) })) return { verdict: SUCCESS, signature: null };
  const { classifyOutcome, contextOf } = await failures();
  return classifyOutcome(outcome, contextOf(call));
}

async function logged(call: StartedCall, outcome: Outcome, record: CallRecord): Promise<CallRecord> {
  if (record.verdict.class === null) return record;
  const { logApiFailure } = await failures();
  const { attempt, request } = call;
  return logApiFailure({ call, attempt, outcome, record, runId: request.charge?.runId ?? null, again: 'first' });
}
