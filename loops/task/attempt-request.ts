// What an attempt of a stage sends, and what the next one is decided by.

import type { CallRecord } from '../../policies/record/call-record.ts';
import type { SessionStanding } from '../../policies/retry/session-way-out.ts';
import type { StandIn } from '../../policies/retry/stand-ins.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Prompt } from './prompt.ts';
import type { StageSession } from './session-in-use.ts';

/** What the stage has behind it in this run. */
export interface StageHistory {
  /** This signature, this time included. */
  count: number;
  retriesLeft: number;
  /** How long the next call would have to be waited for. */
  waitMs: number;
  /** Paths that the stage has changed so far. */
  changed: number;
  /** How long resets may still be waited for, and how many were. */
  resetLeftMs: number;
  resetsAwaited: number;
  /** The session that can be gone on with, and what is known of the one that failed. */
  sessionId: string | null;
  session: SessionStanding;
}

/** What one attempt sends, and into which session; null for a new one. */
export interface AttemptRequest {
  prompt: Prompt;
  resumeSession: string | null;
  /** It only makes sense in that session: what it was asked there is half done. */
  isContinuation?: true;
}

/** What a call sends: the text of a file, behind what its session or what was found asks for. */
export interface SentText {
  before: string;
  file: string;
}

/** What a next ask follows. */
export interface FailedAttempt {
  request: AttemptRequest;
  session: StageSession;
  record: Pick<CallRecord, 'verdict' | 'session_id' | 'tool_calls'>;
  /** What was sent, to which version of the CLI. */
  sent: SentText & { cliVersion: string | null };
}

/** The attempt that a decision leads to, after `waitMs` milliseconds. */
export interface NextAttempt {
  request: AttemptRequest;
  /** Another tool may stand in. */
  stage: Stage;
  /** Of such a one. */
  standIn?: StandIn;
  waitMs: number;
  /** Of a reset: the time of day at which it is over. */
  until: Date | null;
  /** Waiting for a reset or a session, and asking another tool or in a fresh session, are no retries. */
  counts: 'as_retry' | 'as_reset' | 'as_busy' | 'as_none';
}
