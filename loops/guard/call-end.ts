// Finds the time at which a call ended that another run waits for, or waited for until that run was killed.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CallEntry } from '../../state/calls/judge-register.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';

export interface WatchedCallEnd {
  at: string;
  /** Nanoseconds since 1970. */
  ns: bigint;
}

/**
 * Returns null while the call may run. The guardian's verdict counts only after the guardian has removed the call from the
 * register of calls. An agent can write the journal line, but it cannot also remove the entry.
 */
export function endOf({ task, call_id, until }: CallEntry, register: string): WatchedCallEnd | null {
  const isRegistered = existsSync(path.join(path.dirname(register), 'calls', `${call_id}.json`));
  const said = isRegistered ? null : verdictAt(task, call_id);
  if (said !== null) return endAt(said);
  return Date.parse(until) < Date.now() ? endAt(until) : null;
}

/** The disk's clock is behind ours by one tick. */
const endAt = (at: string): WatchedCallEnd => ({ at, ns: BigInt(Date.parse(at)) * 1_000_000n });

function verdictAt(task: string, callId: string): string | null {
  try {
    return (
      openJournal(task, () => new Date())
        .read()
        .ledger.calls.get(callId)?.verdict?.at ?? null
    );
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return null;
    throw error;
  }
}
