// Defines the schema of what `tollgate report` prints with --json.

import type { FailureGroup, TasksReport } from '../../../loops/report/collect.ts';
import type { TaskRow, TaskSupervision } from '../../../loops/report/task-row.ts';
import type { TaskState } from '../../../loops/report/task-state.ts';
import type { RecordedStage } from '../../../loops/task/stage-facts.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import {
  amount,
  count,
  errorClass,
  type Fields,
  flag,
  list,
  NEXT_ACTION,
  one,
  orNull,
  reason,
  record,
  type Schema,
  signature,
  text,
  texts,
  time,
  tool,
  version,
} from './parts.ts';
import { ITERATION, LEFT, STAGE_FACTS } from './run.ts';

export const STATES = {
  done: count('Tasks that are done'),
  failed: count('Tasks that have failed'),
  interrupted: count('Tasks whose run was stopped or died'),
  refused: count('Tasks whose last run was refused: it found a mistake or a prompt that had changed, and ran nothing'),
  parked: count('Supervised tasks whose question waits for an answer'),
  running: count('Tasks that are running'),
  never_run: count('Tasks that no run has begun'),
} as const satisfies Record<TaskState, Schema>;

const NO_FAILURE = 'there is no open failure';

export const ROW: Fields<TaskRow> = {
  task_id: text('The task'),
  folder: text('Its path'),
  state: one('Its state', Object.keys(STATES)),
  at: orNull(time('When the last thing happened'), 'nothing ever did'),
  stage: orNull(text('The stage that failed'), `${NO_FAILURE}, or it failed before any stage`),
  tool: orNull(tool, `${NO_FAILURE}, or it failed before any stage`),
  class: orNull(errorClass, NO_FAILURE),
  reason: orNull(reason, NO_FAILURE),
  sentence: orNull(text('What happened, in one sentence'), NO_FAILURE),
  signature: orNull(signature('Equal for one failure of two tasks'), `${NO_FAILURE}, or it has none`),
  evidence: orNull(text('The text that decided what failed'), NO_FAILURE),
  since: orNull(time("When this signature was first seen in the task's life"), NO_FAILURE),
  count: orNull(count('How often since'), NO_FAILURE),
  retry_at: orNull(time('Before it, the service says, a call is in vain'), 'it did not say'),
  calls: record<TaskRow['calls']>('Paid calls', {
    used: count('So far'),
    budget: orNull(count('Allowed in all'), 'no run has read it from the manifest yet'),
  }),
  lacks: list('What the answers of a task that is done lack; empty for other tasks', text('A stage, and a sentence')),
  supervision: orNull(
    record<TaskSupervision>('The state of its supervision', {
      how: orNull(one('How its last run ended', LEFT), 'it continues, or its run was killed'),
      question: orNull(text("The reasoner's, for a person"), 'it asks nothing, or has an answer'),
      answer_waits: flag('An answer is stored, and no run has given it to the reasoner yet'),
      instruction: text('In force'),
      iterations: list('In order; in the status the last one alone', ITERATION),
    }),
    'it was never supervised',
  ),
  stages: list('Its stages that were called', record<RecordedStage>('One stage', STAGE_FACTS, ['account'])),
  next_action: orNull(NEXT_ACTION, 'there is nothing to do'),
  checked_at: orNull(time('Of the last word on a result of it: of a gate, else of a call'), 'there is none'),
  checked_by: orNull(one('Which run of it said that word', ['last_run', 'earlier_run']), 'there is none'),
};

export const TOTALS = record<TasksReport['totals']>('Over all tasks of the requested time, shown or not', {
  ...STATES,
  tasks: count('All of them'),
  unreadable: count('What cannot be read'),
});

export const UNREADABLE = list(
  'What cannot be read',
  record<TasksReport['unreadable'][number]>('One folder', { folder: text('Its path'), message: text('Why') }),
);

export const TASKS = record<TasksReport>(
  'What tollgate report --json prints',
  {
    schema: version,
    at: time('When it was made'),
    folder: text('Where the tasks lie'),
    totals: TOTALS,
    tasks: list('The tasks, the last one first', record<TaskRow>('One task', ROW)),
    groups: list(
      'Their failures, the most frequent first',
      record<FailureGroup>('One failure', {
        signature: orNull(signature('What they have in common'), 'they have class and reason in common'),
        class: errorClass,
        reason: orNull(reason),
        sentence: text('What happened to the task that failed last, in one sentence'),
        task_ids: texts('The tasks that have it'),
        first_seen: orNull(time('When it was seen first')),
        last_seen: orNull(time('When it was seen last')),
        evidence: orNull(text('The text that decided, of the task that failed last')),
      }),
    ),
    unreadable: UNREADABLE,
    spent: list(
      'The spending of the tasks shown, the last day first; absent unless requested',
      record<DaySpending>(
        'One CLI and account on one day',
        {
          day: text('In UTC, YYYY-MM-DD'),
          tool,
          account: text("The account of the user's settings; absent for the login of the environment"),
          calls: count('Paid'),
          tokens: count('Over the calls that reported them'),
          calls_without_tokens: count('Which come on top'),
          usd: amount('Over the calls whose price is known'),
          calls_without_price: count('Which come on top'),
          duration_ms: amount('Over all calls'),
        },
        ['account'],
      ),
    ),
  },
  ['spent'],
);
