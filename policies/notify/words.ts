// Writes a notification as one line for users: which task, its result, and what to do.

import { actionLine } from '../facts/next-action.ts';
import { oneLine } from '../text/one-line.ts';
import { visible } from '../text/visible-text.ts';
import type { Told } from './notification.ts';
import type { NotifyEvent } from './notifier.ts';

const MAX_CHARS = 600;

export const wordsOf = (event: NotifyEvent, told: Told): string => {
  const who = told.task_id === null ? `batch ${told.batch_id}` : `task ${told.task_id}`;
  const [next] = told.next_actions;
  const then = event === 'done' || next === undefined ? '' : `; next: ${actionLine(next)}`;
  return visible(oneLine(`tollgate: ${who} ${SAYS[event](told)}${then}`, MAX_CHARS));
};

const SAYS = {
  done: (told) => `is done${told.tasks === null ? spent(told) : `, all ${told.tasks.tasks} tasks`}`,
  failed: (told) => `${failed(told)}${spent(told)}`,
  parked: ({ question }) => `waits for an answer: ${oneLine(question ?? '?', MAX_QUESTION)}`,
  budget: ({ budget, near_budget, near_limits }) => [...ownBudget(budget, near_budget), ...near_limits].join('; '),
} as const satisfies Record<NotifyEvent, (told: Told) => string>;

function ownBudget(budget: Told['budget'], tasks: readonly string[]): string[] {
  if (budget !== null) return [`has used ${budget.used} of ${budget.total} paid calls`];
  return tasks.length === 0 ? ['has ended'] : [`has used 80 % of the paid calls of ${tasks.join(', ')}`];
}

const MAX_QUESTION = 300;

function failed({ stage, class: errorClass, reason, tasks }: Told): string {
  if (tasks !== null) return `is not done, ${tasks.done} of ${tasks.tasks} tasks are`;
  const why = errorClass === null ? '' : `: ${errorClass}${reason === null ? '' : ` (${reason})`}`;
  return `failed${stage === null ? '' : ` at ${stage}`}${why}`;
}

const spent = ({ budget }: Told): string =>
  budget === null ? '' : `, ${budget.used} of ${budget.total} paid calls used`;
