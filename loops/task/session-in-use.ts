// The session that a stage works in, as its attempts use it.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { SessionUse } from '../session/session-use.ts';

/** The session of a stage, locked until `release`. What it writes goes to `sessions.json`; it throws what the operating system throws. */
export interface StageSession {
  tag: string;
  use: SessionUse;
  /** The one to go on in; null: a new one is made. */
  id: string | null;
  /** Does a new one go on with the work of one whose context was full, that is lost, or that is good for another folder alone? */
  overflowed: boolean;
  /** For the report. */
  notes: string[];
  /** Milliseconds for which the one to go on in is still left alone. */
  restMs(): number;
  /** Writes down what a call has come to. */
  note(record: CallRecord): Promise<void>;
  /** The session of a call that failed, if it is fit to be gone on with, and how long it is left alone first. */
  ahead(failed: Pick<CallRecord, 'session_id' | 'verdict'>): { id: string; restMs: number } | null;
  /** Goes on in that of a call that failed at `at`: its session holds what it had done. */
  resumeIn(id: string, failed: Verdict, at: Date): Promise<'held' | 'stopped'>;
  /** Is it one that nobody should go on in? */
  isUnfit(id: string): boolean;
  giveUp(id: string, how: 'lost' | 'given_up'): Promise<void>;
  /** A new one takes its place, since it is not fit any more. */
  startAnew(): void;
  /** A new one goes on with its work, and whoever has it open keeps it. @param by half a sentence. */
  leaveOpen(by: string): void;
  poison(id: string, why: string): Promise<void>;
  release(): void;
}
