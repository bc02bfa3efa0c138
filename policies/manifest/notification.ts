// Defines the notification of the end of a run or a batch, as a receiver gets it.

import type { ErrorClass } from '../facts/classes.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { NotifyEvent } from './notifier.ts';

/** Redacted. null means unknown or not applicable. */
export interface Notification {
  schema: 1;
  /** One id for each event and receiver. If the first response was lost, the receiver can recognise the repetition. */
  id: string;
  event: NotifyEvent;
  at: string;
  /** One line for users. */
  text: string;
  task_id: string | null;
  batch_id: string | null;
  goal: string | null;
  exit_code: number;
  /** Stage, class, reason and signature of the failure. */
  stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  signature: string | null;
  retry_at: string | null;
  /** The question of a supervised task. */
  question: string | null;
  budget: { used: number; total: number } | null;
  /** For a batch: the number of tasks by outcome. */
  tasks: Record<string, number> | null;
  /** For a batch: the tasks that reached four fifths of their paid calls in it, the first 20. */
  near_budget: string[];
  /** Sentences about limits over all tasks of which four fifths are used. Each is reported once on this machine. */
  near_limits: string[];
  next_actions: NextAction[];
  summary: string;
}

/** What the run or the batch itself reports. */
export type NotificationFacts = Omit<Notification, 'schema' | 'id' | 'event' | 'at' | 'text'>;

export interface RunEnd {
  /** `parked`: a supervised task that waits for an answer. */
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  budget: { used: number; total: number };
  /** Paid calls of this run. */
  calls: number;
  /** As in the notification. */
  nearLimits: readonly string[];
}

/** If the user stopped the run, no one is notified, because the user knows. */
export function eventsOf({ state, budget, calls, nearLimits }: RunEnd): NotifyEvent[] {
  if (state === 'interrupted') return [];
  const end = state === 'done' || state === 'parked' ? state : 'failed';
  return reachesShare(budget, calls) || nearLimits.length > 0 ? [end, 'budget'] : [end];
}

const SHARE = 0.8;

/** Whether these last calls reached four fifths of the paid calls. */
export const reachesShare = ({ used, total }: RunEnd['budget'], calls: number): boolean =>
  used >= total * SHARE && used - calls < total * SHARE;
