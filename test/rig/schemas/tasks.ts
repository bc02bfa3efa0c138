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
  done: count('Number of tasks that are done'),
  failed: count('Number of tasks that have failed'),
  interrupted: count('Number of tasks whose run was stopped or died'),
  refused: count('Number of tasks whose last run ran nothing, because it found a mistake or a changed prompt'),
  parked: count('Number of supervised tasks whose question waits for an answer'),
  running: count('Number of tasks that are running'),
  never_run: count('Number of tasks that no run has begun'),
} as const satisfies Record<TaskState, Schema>;

const NO_FAILURE = 'there is no open failure';

export const ROW: Fields<TaskRow> = {
  task_id: text('Id of the task'),
  folder: text('Path of the folder of the task'),
  state: one('State of the task', Object.keys(STATES)),
  at: orNull(time('Time of the last event of the task'), 'there was none'),
  stage: orNull(text('Name of the stage that failed'), `${NO_FAILURE}, or the task failed before any stage`),
  tool: orNull(tool, 'no stage has an open failure'),
  class: orNull(errorClass, NO_FAILURE),
  reason: orNull(reason, NO_FAILURE),
  sentence: orNull(text('What happened, in one sentence'), NO_FAILURE),
  signature: orNull(
    signature('Hash that identifies the failure; equal failures of different tasks have the same hash'),
    `${NO_FAILURE}, or no hash`,
  ),
  evidence: orNull(text('The text that decided the class of the failure'), NO_FAILURE),
  since: orNull(time('Time of the first failure with this signature in the life of the task'), NO_FAILURE),
  count: orNull(count('Number of failures with this signature in the life of the task'), NO_FAILURE),
  retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
  calls: record<TaskRow['calls']>('Paid calls of the task', {
    used: count('Number of paid calls so far'),
    budget: orNull(count('Maximum number of paid calls'), 'no run has read it from the manifest yet'),
  }),
  lacks: list(
    'What the answers of a finished task lack; empty for other tasks',
    text('Name of a stage, and what its answer lacks'),
  ),
  supervision: orNull(
    record<TaskSupervision>('State of the supervision of the task', {
      how: orNull(one('How the last run of the supervision ended', LEFT), 'it is running, or was killed'),
      question: orNull(text('Question of the reasoner for the user'), 'there is no question, or it has an answer'),
      answer_waits: flag('Whether an answer is stored that no run has given to the reasoner yet'),
      instruction: text('Current instruction for the worker'),
      iterations: list('Iterations, in order; in tollgate status only the last one', ITERATION),
    }),
    'the task was never supervised',
  ),
  stages: list(
    'Stages of the task that were called',
    record<RecordedStage>('One stage of the task', STAGE_FACTS, ['account']),
  ),
  next_action: orNull(NEXT_ACTION, 'there is nothing to do'),
  checked_at: orNull(time('Time of the last verdict on the task, by a gate or else by a call'), 'there is none'),
  checked_by: orNull(
    one('Whether the last run of the task gave its last verdict, or an earlier run did', ['last_run', 'earlier_run']),
    'there is none',
  ),
};

export const TOTALS = record<TasksReport['totals']>('Number of tasks of the requested period by state, shown or not', {
  ...STATES,
  tasks: count('Number of all tasks'),
  unreadable: count('Number of folders that cannot be read'),
});

export const UNREADABLE = list(
  'Folders that cannot be read',
  record<TasksReport['unreadable'][number]>('One folder that cannot be read', {
    folder: text('Path of the folder'),
    message: text('Why the folder cannot be read'),
  }),
);

export const TASKS = record<TasksReport>(
  'Output of tollgate report --json',
  {
    schema: version,
    at: time('Time when the report was made'),
    folder: text('Path of the folder that contains the tasks'),
    totals: TOTALS,
    tasks: list('Tasks, the last active one first', record<TaskRow>('One task', ROW)),
    groups: list(
      'Failures of the tasks in groups, the most frequent first',
      record<FailureGroup>('One failure, with the tasks that have it', {
        signature: orNull(signature('Hash that identifies the failure'), 'the tasks have class and reason in common'),
        class: errorClass,
        reason: orNull(reason),
        sentence: text('What happened to the task that failed last, in one sentence'),
        task_ids: texts('Ids of the tasks that have this failure'),
        first_seen: orNull(time('Time when the failure occurred first')),
        last_seen: orNull(time('Time when the failure occurred last')),
        evidence: orNull(text('The text that decided the class of the failure, from the task that failed last')),
      }),
    ),
    unreadable: UNREADABLE,
    spent: list(
      'Spending of the tasks shown, the last day first; absent unless requested',
      record<DaySpending>(
        'Spending for one CLI and account on one day',
        {
          day: text('Day in UTC, as YYYY-MM-DD'),
          tool,
          account: text("The account of the user's settings; absent for the login of the environment"),
          calls: count('Number of paid calls'),
          tokens: count('Number of tokens of the calls that reported them'),
          calls_without_tokens: count('Number of calls with unknown token counts, which `tokens` does not include'),
          usd: amount('Cost in US dollars of the calls whose price is known'),
          calls_without_price: count('Number of calls with an unknown price, which `usd` does not include'),
          duration_ms: amount('Duration of all calls together, in milliseconds'),
        },
        ['account'],
      ),
    ),
  },
  ['spent'],
);
