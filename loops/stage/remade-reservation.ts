// Rebuilds the reservation of a call as its dispatcher knows it, if the call's agent removed it from the journal.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import { entryOf, registerFolder } from '../../state/calls/call-register.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { JournalError } from '../../state/journal/journal.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { nowMs, readClocks } from '../../wrappers/steady-clock.ts';
import type { SentTerms } from '../attempt/request.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

type Reserved = Extract<Fact, { fact: 'reserved' }>;

interface Remaking {
  run: StageRun;
  wanted: string;
  callId: string;
  guardian: ProcessIdentity | null;
  sent: SentTerms;
}

/** Returns what the guardian wrote. If that cannot be read any more, builds it from what the guardian was started with. */
export async function reservationOf({ run, wanted, callId, guardian, sent }: Remaking): Promise<Reserved> {
  const { open, stage, runId, context } = run;
  const { clock, environment } = context;
  const known = knownReservation(open, callId);
  if (known !== null) return known;
  const sentAt = new Date(clock().getTime() - (nowMs() - sent.atMs));
  return {
    fact: 'reserved',
    call_id: callId,
    run_id: runId,
    stage: stage.name,
    tool: stage.tool,
    attempt: 1,
    for_prompt: wanted,
    // If the guardian is not known any more, it is dead.
    guardian: guardian ?? { ...(await identify(process.pid))!, start_time: 'unknown' },
    deadline_at: new Date(sentAt.getTime() + sent.limits.timeoutMs).toISOString(),
    ...termsOf(callId, sent, sentAt, environment),
  };
}

/** The process that settles the call uses these terms, not a draft of the agent. Empty without an entry. */
function termsOf(callId: string, { limits, atMs }: SentTerms, sentAt: Date, environment: NodeJS.ProcessEnv) {
  const folder = registerFolder(environment);
  const entry = folder === null ? null : entryOf(folder, callId);
  if (entry === null) return {};
  const { marker, temporary, overlay_folders } = entry;
  const { steadyMs, bootMs } = readClocks();
  const terms: CallTerms = {
    marker,
    started_at: sentAt.toISOString(),
    clocks: { steadyMs: atMs, bootMs: bootMs - (steadyMs - atMs) },
    // JSON has no infinity.
    limits: { ...limits, maxOutputBytes: Math.min(limits.maxOutputBytes, Number.MAX_SAFE_INTEGER) },
    temporary,
    overlay_folders,
  };
  return { terms };
}

function knownReservation({ journal }: OpenTask, callId: string): Reserved | null {
  try {
    const call = journal.read().ledger.calls.get(callId);
    if (call === undefined) return null;
    const { v: _, at: __, ...fact } = call.reserved;
    return fact;
  } catch (error) {
    // A journal that cannot be read any more is about to be repaired.
    if (error instanceof JournalError) return null;
    throw error;
  }
}
