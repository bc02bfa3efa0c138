// Defines the session of a stage, as its attempts use it.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';

/** How a stage got its session. */
export type SessionUse = 'new' | 'resumed' | 'recovered' | 'named';

/**
 * The session of a stage, locked until `release`. It writes to `sessions.json`, and throws the errors of the operating system.
 */
export interface StageSession {
  tag: string;
  use: SessionUse;
  /** The session to resume; null: a new one is made. */
  id: string | null;
  /**
   * Whether a new session continues the work of one whose context was full, that is lost, or that is valid only in another
   * folder.
   */
  overflowed: boolean;
  /** For the report. */
  notes: string[];
  /** Milliseconds to wait before the session may be resumed. */
  restMs(): number;
  /** Records the result of a call. */
  note(record: CallRecord): Promise<void>;
  /** The session of a failed call, if it can be resumed, and how long to wait first. */
  ahead(failed: Pick<CallRecord, 'session_id' | 'verdict'>): { id: string; restMs: number } | null;
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
