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

const unknown = 'it is unknown, or no call was made';
const none = 'there is none';

const variant = record<ComparedVariant>('One variant of the comparison', {
  n: count('Number of the variant, from 1'),
  name: text('Name of the variant'),
  tool,
  model: orNull(text('Requested model'), 'the CLI chooses it'),
  account: orNull(text("The account of the user's settings"), 'the login of the environment is used'),
  task_id: text('Id of the task of the variant'),
  state: one('State of the task of the variant', [
    'done',
    'failed',
    'refused',
    'interrupted',
    'running',
    'never_run',
    'parked',
  ]),
  class: orNull(errorClass, 'the variant did not fail'),
  reason: orNull(reason, 'the variant did not fail'),
  sentence: orNull(text('What happened, in one sentence'), 'the variant did not fail'),
  evidence: orNull(text('The text that decided the class of the failure'), none),
  gate: orNull(one('Result of the last gate', ['passed', 'failed']), 'no gate was reached'),
  verdict: orNull(text('Verdict within the answer of the variant'), none),
  lacks: list(
    'What the answers of a finished variant lack; empty for other variants',
    text('Name of a stage, and what its answer lacks'),
  ),
  duration_ms: orNull(amount('Duration of all calls of the variant together, in milliseconds'), unknown),
  calls: count('Number of paid calls of the variant'),
  tokens: orNull(count('Number of tokens of all calls of the variant'), unknown),
  usd: orNull(amount('Cost of all calls of the variant, in US dollars'), unknown),
  unpriced_calls: count('Number of calls with an unknown price, which `usd` does not include'),
  diff: orNull(
    record<NonNullable<ComparedVariant['diff']>>('Size of the changes of the variant', {
      files: count('Number of changed files'),
      added: count('Number of added lines'),
      removed: count('Number of removed lines'),
    }),
    'the changes cannot be read',
  ),
  diff_problem: orNull(text('Why the changes of the variant cannot be read'), 'they can be read'),
  answer: orNull(text('Answer of the variant, with secrets redacted, at most 100,000 characters'), none),
  commit: orNull(text('Id of the commit of the variant'), 'it made none'),
  files: record<ComparedVariant['files']>('Absolute paths of the files of the variant', {
    answer: orNull(text('Path of the answer of the variant'), none),
    diff: orNull(text('Path of the changes of the variant, with secrets redacted'), none),
    worktree: orNull(text('Path of the worktree of the variant'), 'there is none, or it was removed'),
  }),
});

export const COMPARISON = record<ComparisonReport>('A comparison of several variants of one task or prompt', {
  schema: version,
  comparison_id: text('Id of the comparison'),
  state: one('State of the comparison', ['done', 'failed', 'interrupted', 'running']),
  exit_code: count('Exit code of tollgate compare'),
  at: time('Time when the comparison began'),
  task_id: orNull(text('Id of the compared task'), 'a prompt was compared'),
  goal: text('Goal of the task, or the beginning of the prompt'),
  base: text('Id of the commit from which every variant begins'),
  variants: list('Variants, in the given order', variant),
  budget: record<ComparisonBudget>('Budget of the comparison, which the variants share equally', {
    calls: count('Maximum number of paid calls'),
    tokens: orNull(count('Maximum number of tokens'), 'there is no limit'),
    usd: orNull(amount('Maximum cost in US dollars'), 'there is no limit'),
  }),
  picked: orNull(
    record<NonNullable<ComparisonReport['picked']>>('The variant whose changes were applied', {
      n: count('Number of the variant, from 1'),
      at: time('Time when the changes were applied'),
    }),
    'no changes were applied',
  ),
  removed: orNull(time('Time when the worktrees of the variants were removed'), 'they were not removed'),
  notes: texts('Remarks about the comparison'),
  next_actions: nextActions('What to do next, the best action first'),
  files: record<ComparisonReport['files']>('Absolute paths of the files of the comparison', {
    folder: text('Path of the folder of the comparison'),
    report: text('Path of the file that contains this report'),
    page: text('Path of the same report in Markdown, with the answers and changes'),
  }),
});
