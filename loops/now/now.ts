// What runs now, as one value: the tasks that are followed, the calls under way, and what each waits for.

import type { Tool } from '../../policies/facts/tools.ts';
import type { StandIn } from '../../policies/retry/stand-ins.ts';
import type { TaskState } from '../report/standing.ts';
import type { WaitingTicket } from '../status/waiting.ts';

export interface RunsNow {
  schema: 1;
  /** ISO time at which it was so. */
  at: string;
  /** Where the tasks lie. */
  folder: string;
  totals: Record<NowState, number> & { tasks: number };
  /** Those at work first, the longest at it first; then the others, the latest first. */
  tasks: NowTask[];
}

/** `gone`: archived or deleted. */
type NowState = TaskState | 'unreadable' | 'gone';

export interface NowTask {
  task_id: string;
  folder: string;
  state: NowState;
  /** ISO time since when it is so; null when nothing ever happened. */
  since: string | null;
  /** Under way, oldest first. */
  running: NowCall[];
  waits: NowWait | null;
  /** Used by its calls, ended ones and those under way, as far as they have said; null where none has, or nobody has looked. */
  tokens: number | null;
  calls: { used: number; budget: number | null };
  /** Of the failure that stands: the stage, and what it was; null where none does. */
  stage: string | null;
  class: string | null;
  reason: string | null;
  /** Why it cannot be read; null where it can. */
  message: string | null;
}

export interface NowCall {
  call_id: string;
  stage: string;
  tool: Tool;
  /** In whose place it was asked, the first one first; empty where it is the stage's own. */
  stand_ins: readonly StandIn[];
  attempt: number;
  /** ISO time at which its CLI was started, or else the call reserved. */
  since: string;
  /** ISO time at which it is ended at the latest. */
  deadline_at: string;
  /** What its CLI did last, in a few words; null when nothing has been said yet. */
  last: string | null;
  /** As far as its CLI has told; most tell it at the end. */
  tokens: number | null;
}

/** A turn in a line, behind others; or a time: of a reset, or of a rest before a retry. */
export type NowWait = Pick<WaitingTicket, 'what' | 'behind' | 'stage'> | { what: 'time'; until: string; stage: string };

/** One thing that became otherwise, with its time and its task. */
export type NowChange = { at: string; task_id: string; folder: string } & (
  | { change: 'began' | 'gone' }
  | { change: 'called' | 'said' | 'call_ended'; call: NowCall }
  | { change: 'waits'; waits: NowWait }
  | { change: 'ended'; state: NowState; stage: string | null; class: string | null; reason: string | null }
  | { change: 'unreadable'; message: string }
);
