// Defines the notification of the end of a run or a batch: its content, its line of text, its message, and its attempts.

import { createHmac } from 'node:crypto';
import type { ErrorClass } from '../facts/classes.ts';
import { actionLine, type NextAction } from '../facts/next-action.ts';
import { oneLine, visible } from '../text/display.ts';
import type { NotifierRow, NotifyEvent } from './notifier.ts';

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

interface RunEnd {
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

const MAX_CHARS = 600;

/** Writes a notification as one line for users: which task, its result, and what to do. */
export const wordsOf = (event: NotifyEvent, facts: NotificationFacts): string => {
  const who = facts.task_id === null ? `batch ${facts.batch_id}` : `task ${facts.task_id}`;
  const [next] = facts.next_actions;
  const then = event === 'done' || next === undefined ? '' : `; next: ${actionLine(next)}`;
  return visible(oneLine(`tollgate: ${who} ${SAYS[event](facts)}${then}`, MAX_CHARS));
};

const SAYS = {
  done: (facts) => `is done${facts.tasks === null ? spent(facts) : `, all ${facts.tasks.tasks} tasks`}`,
  failed: (facts) => `${failed(facts)}${spent(facts)}`,
  parked: ({ question }) => `waits for an answer: ${oneLine(question ?? '?', MAX_QUESTION)}`,
  budget: ({ budget, near_budget, near_limits }) => [...ownBudget(budget, near_budget), ...near_limits].join('; '),
} as const satisfies Record<NotifyEvent, (facts: NotificationFacts) => string>;

function ownBudget(budget: NotificationFacts['budget'], tasks: readonly string[]): string[] {
  if (budget !== null) return [`has used ${budget.used} of ${budget.total} paid calls`];
  return tasks.length === 0 ? ['has ended'] : [`has used 80 % of the paid calls of ${tasks.join(', ')}`];
}

const MAX_QUESTION = 300;

function failed({ stage, class: errorClass, reason, tasks }: NotificationFacts): string {
  if (tasks !== null) return `is not done, ${tasks.done} of ${tasks.tasks} tasks are`;
  const why = errorClass === null ? '' : `: ${errorClass}${reason === null ? '' : ` (${reason})`}`;
  return `failed${stage === null ? '' : ` at ${stage}`}${why}`;
}

const spent = ({ budget }: NotificationFacts): string =>
  budget === null ? '' : `, ${budget.used} of ${budget.total} paid calls used`;

/** Text is data in both formats. In Slack's format, `<!channel>` would be a command. */
export const BODIES = {
  json: (notification) => JSON.stringify(notification),
  slack: ({ text }) => JSON.stringify({ text: plain(text) }),
} as const satisfies Record<NotifierRow['format'], (notification: Notification) => string>;

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const;

const plain = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPED[sign as keyof typeof ESCAPED]);

/** @param at in whole seconds since 1970. It is signed too, so that an old message cannot be sent again. */
export function headersOf(
  { id, event }: Notification,
  body: string,
  secret: string | null,
  at: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'tollgate',
    'tollgate-event': event,
    'tollgate-delivery': id,
    'tollgate-timestamp': String(at),
    ...(secret === null ? {} : { 'tollgate-signature': `v1=${signatureOf(secret, at, body)}` }),
  };
}

/** HMAC-SHA256, in hexadecimal. */
const signatureOf = (secret: string, at: number, body: string): string =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');

/** `retryAfterMs`: as the response requests. */
export type Try =
  | { how: 'answered'; status: number; retryAfterMs: number | null }
  /** The connection was refused or cut, or was silent for too long. */
  | { how: 'unanswered'; why: string };

type AfterTry =
  | { next: 'taken'; why: string }
  | { next: 'again'; afterMs: number; why: string }
  | { next: 'given_up'; why: string };

/** The waits before the second, third and fourth attempt. */
const BACKOFF_MS = [250, 1000, 3000] as const;

/** @param tries the attempts so far, with this one. @param leftMs milliseconds until the deadline of all attempts. */
export function afterTry(tried: Try, tries: number, leftMs: number): AfterTry {
  const why = tried.how === 'answered' ? `answered ${tried.status}` : tried.why;
  if (tried.how === 'answered') {
    const { status } = tried;
    if (status >= 200 && status < 300) return { next: 'taken', why };
    if (status >= 300 && status < 400)
      return { next: 'given_up', why: `${why}, which leads elsewhere and is not followed` };
    if (status < 500 && !PASSING.has(status)) return { next: 'given_up', why };
  }
  const backoff = BACKOFF_MS[tries - 1];
  const requestedMs = tried.how === 'answered' ? (tried.retryAfterMs ?? 0) : 0;
  const afterMs = Math.max(backoff ?? 0, requestedMs);
  if (backoff === undefined || afterMs >= leftMs) return { next: 'given_up', why: inTries(why, tries) };
  return { next: 'again', afterMs, why };
}

/** Statuses that may change a moment later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const inTries = (why: string, tries: number): string => (tries === 1 ? why : `${why}, after ${tries} tries`);
