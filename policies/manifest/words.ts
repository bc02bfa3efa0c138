// Writes a notification as one line for users: which task, its result, and what to do.

import { actionLine } from '../facts/next-action.ts';
import { oneLine } from '../text/one-line.ts';
import { visible } from '../text/visible-text.ts';
import type { NotificationFacts } from './notification.ts';
import type { NotifyEvent } from './notifier.ts';

const MAX_CHARS = 600;

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
