// What is said of the end of a run or of a batch, as a receiver gets it.

import type { ErrorClass } from '../facts/classes.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { NotifyEvent } from './notifier.ts';

/** null is what is unknown or does not apply; secrets are taken out. */
export interface Notification {
  schema: 1;
  /** One for each event and receiver: who hears it twice, since a first answer was lost, can tell. */
  id: string;
  event: NotifyEvent;
  at: string;
  /** One line for people. */
  text: string;
  task_id: string | null;
  batch_id: string | null;
  goal: string | null;
  exit_code: number;
  /** Of what failed. */
  stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  signature: string | null;
  retry_at: string | null;
  /** What a supervised task asks. */
  question: string | null;
  budget: { used: number; total: number } | null;
  /** Of a batch, by what became of them. */
  tasks: Record<string, number> | null;
  /** Of a batch: those that reached four fifths of their paid calls in it, the first 20. */
  near_budget: string[];
  /** Limits over all tasks of which four fifths are used, each told once on this machine: sentences. */
  near_limits: string[];
  next_actions: NextAction[];
  summary: string;
}

/** What the run or the batch itself knows of it. */
export type Told = Omit<Notification, 'schema' | 'id' | 'event' | 'at' | 'text'>;

export interface RunEnd {
  /** `parked`: a supervised task that waits for an answer. */
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  budget: { used: number; total: number };
  /** Paid calls of this run. */
  calls: number;
  /** As in the notification. */
  nearLimits: readonly string[];
}

/** Of a run that a person stopped nobody is told, for that person knows. */
export function eventsOf({ state, budget, calls, nearLimits }: RunEnd): NotifyEvent[] {
  if (state === 'interrupted') return [];
  const end = state === 'done' || state === 'parked' ? state : 'failed';
  return reachesShare(budget, calls) || nearLimits.length > 0 ? [end, 'budget'] : [end];
}

const SHARE = 0.8;

/** Were four fifths of the paid calls reached by these, the last ones? */
export const reachesShare = ({ used, total }: RunEnd['budget'], calls: number): boolean =>
  used >= total * SHARE && used - calls < total * SHARE;
