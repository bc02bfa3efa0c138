// Defines the schema of what `tollgate compare` prints with --json, and keeps as its report.

import type { ComparedVariant, ComparisonBudget, ComparisonReport } from '../../../policies/report/comparison.ts';
import {
  amount,
  count,
  errorClass,
  list,
  nextActions,
  one,
  orNull,
  reason,
  record,
  text,
  texts,
  time,
  tool,
  version,
} from './parts.ts';

const unknown = 'it is not known, or no call was made';
const none = 'there is none';

const variant = record<ComparedVariant>('One variant', {
  n: count('Its number, from 1'),
  name: text('Its name'),
  tool,
  model: orNull(text('Its model'), 'the CLI chooses it'),
  account: orNull(text('Its account'), 'the login of the environment'),
  task_id: text('Its task'),
  state: one('The state of its task', ['done', 'failed', 'refused', 'interrupted', 'running', 'never_run', 'parked']),
  class: orNull(errorClass, 'it did not fail'),
  reason: orNull(reason, 'it did not fail'),
  sentence: orNull(text('What happened'), 'it did not fail'),
  evidence: orNull(text('The evidence of the failure'), none),
  gate: orNull(one('The last gate', ['passed', 'failed']), 'no gate was reached'),
  verdict: orNull(text('The verdict within the answer'), none),
  duration_ms: orNull(amount('The time of its calls together, in milliseconds'), unknown),
  calls: count('Its paid calls'),
  tokens: orNull(count('Its tokens'), unknown),
  usd: orNull(amount('Its cost in dollars'), unknown),
  unpriced_calls: count('Its calls without a known price'),
  diff: orNull(
    record<NonNullable<ComparedVariant['diff']>>('The size of its changes', {
      files: count('Changed files'),
      added: count('Added lines'),
      removed: count('Removed lines'),
    }),
    'its changes cannot be read',
  ),
  diff_problem: orNull(text('Why its changes cannot be read'), 'they can'),
  answer: orNull(text('Its answer, without secrets, at most 100,000 characters'), none),
  commit: orNull(text('Its commit'), 'it made none'),
  files: record<ComparedVariant['files']>('Its files, absolute', {
    answer: orNull(text('Its answer'), none),
    diff: orNull(text('Its changes, without secrets'), none),
    worktree: orNull(text('Its worktree'), 'it was removed'),
  }),
});

export const COMPARISON = record<ComparisonReport>('A comparison of several variants', {
  schema: version,
  comparison_id: text('Its name'),
  state: one('How it ended', ['done', 'failed', 'interrupted', 'running']),
  exit_code: count('The exit code of tollgate compare'),
  at: time('When it began'),
  task_id: orNull(text('The compared task'), 'a prompt was compared'),
  goal: text('The goal of the task, or the beginning of the prompt'),
  base: text('The commit from which every variant begins'),
  variants: list('In the order given', variant),
  budget: record<ComparisonBudget>('Shared equally by the variants', {
    calls: count('Paid calls'),
    tokens: orNull(count('Tokens'), 'no limit'),
    usd: orNull(amount('Dollars'), 'no limit'),
  }),
  picked: orNull(
    record<NonNullable<ComparisonReport['picked']>>('The variant whose changes were applied', {
      n: count('Its number'),
      at: time('When they were applied'),
    }),
    'none were applied',
  ),
  removed: orNull(time('When the worktrees were removed'), 'they are there'),
  notes: texts('Remarks'),
  next_actions: nextActions('What to do next'),
  files: record<ComparisonReport['files']>('Its files, absolute', {
    folder: text('The folder of the comparison'),
    report: text('This object'),
    page: text('The same as Markdown, with the answers and changes'),
  }),
});
