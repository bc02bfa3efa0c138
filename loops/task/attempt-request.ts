// Defines what an attempt of a stage sends, the session that it uses, and the facts that decide about the next attempt.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { SessionStanding } from '../../policies/verdict/decide.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Prompt } from './prompt.ts';

export interface StageHistory {
  /** How often this signature was seen, including this time. */
  count: number;
  retriesLeft: number;
  /** How long the next call would have to wait. */
  waitMs: number;
  /** The number of paths that the stage has changed so far. */
  changed: number;
  /** How long the stage may still wait for resets, and how many it has waited for. */
  resetLeftMs: number;
  resetsAwaited: number;
  /** The engine whose reset comes first, if it is not the one that failed now. */
  soonest?: Reset | null;
  /** The session that can be resumed, and what is known of the session that failed. */
  sessionId: string | null;
  session: SessionStanding;
}

/** What one attempt sends, and into which session; null for a new one. */
export interface AttemptRequest {
  prompt: Prompt;
  resumeSession: string | null;
  /** Makes sense only in that session, where the requested work is half done. */
  isContinuation?: true;
}

/** The text of a call: a file, and before it the text that its session or earlier findings require. */
export interface SentText {
  before: string;
  file: string;
}

/** The failed attempt that a next one follows. */
export interface FailedAttempt {
  request: AttemptRequest;
  session: StageSession;
  record: { verdict: Verdict; session_id: string | null; tool_calls: number | null };
  /** The text that was sent, and the version of the CLI that received it. */
  sent: SentText & { cliVersion: string | null };
  soonest?: Reset | null;
}

/** An engine that could not answer, as its stage, and when it can work again. */
export interface Reset {
  stage: Stage;
  retryAt: string;
}

/** How a decision lets the stage try again, after `waitMs` milliseconds. */
export interface NextTry {
  /** May use a fallback tool. */
  stage: Stage;
  /** Set if another engine is called. */
  standIn?: StandIn;
  waitMs: number;
  /** For a reset: the time of day when it is over. */
  until: Date | null;
  /** Waits for a reset or a session are not retries, and neither are calls of another tool or in a fresh session. */
  counts: 'as_retry' | 'as_reset' | 'as_busy' | 'as_none';
}

/** The same with its prompt. */
export interface NextAttempt extends NextTry {
  request: AttemptRequest;
}

/** How a stage got its session. */
export type SessionUse = 'new' | 'resumed' | 'recovered' | 'named';

/** A stage's session, locked until `release`. Writes `sessions.json`; throws operating system errors. */
export interface StageSession {
  tag: string;
  use: SessionUse;
  /** The session to resume; null: a new one is made. */
  id: string | null;
  /** Whether a new session continues one whose context was full, that is lost, or that fits only another folder. */
  overflowed: boolean;
  /** For the report. */
  notes: string[];
  /** Milliseconds to wait before the session may be resumed. */
  restMs(): number;
  note(record: CallRecord): Promise<void>;
  /** The session of a failed call, if it can be resumed, and how long to wait first. */
  ahead(failed: { session_id: string | null; verdict: Verdict }): { id: string; restMs: number } | null;
  /** Continues in the session of a call that failed at `at`, since it contains the work of that call. */
  resumeIn(id: string, failed: Verdict, at: Date): Promise<'held' | 'stopped'>;
  /** Whether the session must not be resumed. */
  isUnfit(id: string): boolean;
  giveUp(id: string, how: 'lost' | 'given_up'): Promise<void>;
  /** Replaces the session by a new one, because it is no longer fit. */
  startNew(): void;
  /** A new session continues its work, and the process that has it open keeps it. @param by half a sentence. */
  leaveOpen(by: string): void;
  poison(id: string, why: string): Promise<void>;
  release(): void;
}
