// Defines the facts of a task's journal: everything that ever happened to it, one small line each.

import type { DistillFact } from '../../policies/distill/distillation.ts';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { Ending } from '../../policies/facts/evidence.ts';
import type { SaidVerdict } from '../../policies/facts/gate-record.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import type { SuperviseFact } from '../../policies/supervise/supervision.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';

/** A reader that finds a higher number does not understand the journal, and reports it. */
export const JOURNAL_VERSION = 1;

export type Fact =
  /** A run owns the task; `over` names a run that died without releasing it. */
  | {
      fact: 'claimed';
      run_id: string;
      over: string | null;
      owner: ProcessIdentity;
      /** The stages of the manifest; absent if it has none, and in lines of older versions. */
      stages?: string[];
    }
  | {
      fact: 'released';
      run_id: string;
      exit_code: number;
      state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
    }
  /** `at_offset` as in a reset: an edit is adopted once for the journal offset of its view. */
  | { fact: 'budget'; calls: number; from: 'manifest' | 'command' }
  | { fact: 'budget'; calls: number; from: 'stats'; at_offset: number }
  | {
      fact: 'reserved';
      call_id: string;
      run_id: string | null;
      stage: string;
      tool: Tool;
      /** The account of the user's settings; absent for the login of the environment. */
      account?: string;
      attempt: number;
      /** The stage's prompt that a run wants answered. The call may instead send a digest of it, or a request to continue. */
      for_prompt: string | null;
      guardian: ProcessIdentity;
      /** ISO time at which the guardian ends the call at the latest. */
      deadline_at: string;
      /** The terms of the grant; older lines lack them. */
      terms?: CallTerms;
      /** How many calls its agent may charge to this task from within it; absent is none. */
      nested_calls?: number;
      /** The call of this task from within which it is made. */
      within?: string;
    }
  /** `draft_sha256`: the hash of its attempt.json as its guardian wrote it; older lines lack it. */
  | { fact: 'started'; call_id: string; cli: ProcessIdentity | null; draft_sha256?: string }
  | { fact: 'ended'; call_id: string; ending: Ending; native_exit_code: number | null; signal: string | null }
  | {
      fact: 'verdict';
      call_id: string;
      class: ErrorClass | null;
      reason: string | null;
      signature: string | null;
      retry_at: string | null;
      exit_code: number;
      /** What a success lacks; absent if it lacks nothing, and in older lines. */
      lacks?: readonly string[];
    }
  /** A tag's session after a call, from which sessions.json is rebuilt; null: it has none any more. */
  | {
      fact: 'session';
      tag: string;
      tool: Tool;
      folder: string | null;
      account?: string;
      entry: SessionEntry | null;
    }
  | {
      fact: 'decided';
      run_id: string;
      stage: string;
      action: string;
      why: string;
      wait_ms: number;
      /** For a fallback; older lines lack it. */
      stand_in?: StandIn;
      /** Of a call that was refused before its start: no verdict in the journal has it. */
      refused?: { class: ErrorClass | null; signature: string };
    }
  | {
      fact: 'gate';
      stage: string;
      call_id: string;
      passed: boolean;
      missing: string[];
      class: ErrorClass | null;
      reason: string | null;
      signature: string | null;
      /** The verdict in the answer itself; older lines lack it. */
      verdict?: SaidVerdict | null;
    }
  | { fact: 'done'; stage: string; call_id: string | null; prompt_sha256: string }
  /** A user keeps the answer of this call: it counts for this prompt too, and for no other. */
  | { fact: 'kept'; stage: string; call_id: string | null; prompt_sha256: string }
  /** A stage is no longer done. `redo`: the user wants another answer, and those that a gate has checked no longer count. */
  | { fact: 'reopened'; stage: string; redo?: true }
  /** A user edited the count in stats.json: it is adopted once for the journal offset of their view. */
  | { fact: 'reset'; used: number; at_offset: number }
  | SuperviseFact
  | DistillFact;

/** As in the file: with its version and its time. */
export type JournalLine = Fact & { v: number; at: string };
