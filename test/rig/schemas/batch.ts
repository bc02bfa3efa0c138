// Defines the schema of what `tollgate batch` prints with --json, and writes as its report.

import type { BatchFailure, BatchReport, BatchStart } from '../../../loops/batch/report.ts';
import type { BatchRow, BatchStage, BatchState } from '../../../loops/batch/row.ts';
import type { NextAction } from '../../../policies/facts/next-action.ts';
import { owner } from './journal.ts';
import {
  amount,
  count,
  errorClass,
  is,
  list,
  nextActions,
  one,
  orNull,
  reason,
  record,
  type Schema,
  signature,
  text,
  texts,
  time,
  version,
} from './parts.ts';
import { NOTIFIED, RUN_STAGE } from './run.ts';

const { session: _, session_id: __, warnings: ___, ...BATCH_STAGE } = RUN_STAGE;

const STATES = {
  done: count('Number of tasks that are done'),
  failed: count('Number of tasks that failed'),
  broken: count('Number of tasks that ran but produced no report'),
  interrupted: count('Number of tasks whose run was stopped'),
  refused: count('Number of tasks that were refused, so that nothing was run'),
  not_started: count('Number of tasks that the batch did not start'),
} as const satisfies Record<BatchState, Schema>;

const NO_RECORD = 'there is no failure record';

const row = record<BatchRow>('One task of the batch', {
  task_id: text('Id of the task; the given name if a check before the batch refused the task'),
  state: one('Result of the task; broken: it ran but produced no report', Object.keys(STATES)),
  exit_code: orNull(count('Exit code of the task, as of tollgate run'), 'the task was not started'),
  failed_stage: orNull(text('Name of the stage that failed'), `${NO_RECORD}, or the task failed before any stage`),
  class: orNull(errorClass, NO_RECORD),
  reason: orNull(reason, NO_RECORD),
  signature: orNull(
    signature('Hash that identifies the failure; equal failures of different tasks have the same hash'),
    `${NO_RECORD}, or no hash`,
  ),
  retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
  calls: count('Number of paid calls that this batch made for the task'),
  message: orNull(text('What happened, in one sentence'), 'the other fields describe the result'),
  stages: list(
    'Stages of the task in order; empty if no stage was run',
    record<BatchStage>('One stage of the task', BATCH_STAGE, ['account']),
  ),
});

const failure = record<BatchFailure>('One failure, with the tasks that have it', {
  signature: orNull(
    signature('Hash that identifies the failure'),
    'the tasks have class and reason, or the message, in common',
  ),
  class: orNull(errorClass, NO_RECORD),
  reason: orNull(reason, NO_RECORD),
  message: orNull(text('What happened to the first of these tasks, in one sentence'), 'there is a failure record'),
  retry_at: orNull(
    time('Latest time before which the service rejects calls of these tasks'),
    'the service reported none',
  ),
  count: count('Number of tasks that have this failure'),
  task_ids: texts('Ids of the first 20 tasks that have this failure'),
  next_actions: nextActions('What to do next, the best action first, from the report of the first of these tasks'),
});

const ran = record<BatchReport>(
  'Report of a batch that has ended',
  {
    schema: version,
    batch_id: text('Id of the batch'),
    state: one('How the batch ended', ['done', 'failed', 'interrupted']),
    exit_code: count('Exit code of tollgate batch'),
    tasks: list('Tasks of the batch: first those that cannot be run, then the others in the given order', row),
    totals: record<BatchReport['totals']>('Totals over all tasks of the batch', {
      ...STATES,
      tasks: count('Number of all tasks'),
      calls: count('Number of paid calls that the batch made'),
      duration_ms: amount('Duration of the batch, in milliseconds'),
    }),
    by_failure: list('Failures of the tasks in groups, the most frequent first', failure),
    notes: texts('Further remarks about the batch'),
    next_actions: nextActions(),
    files: record<BatchReport['files']>('Paths of files with more details', {
      report: text('Path of the file that contains this report'),
      summary: text('Path of the summary page for people, in Markdown'),
      left: orNull(text('Path of the file that lists the remaining tasks, one per line'), 'no task remains'),
    }),
    notified: NOTIFIED,
  },
  ['notified'],
);

/** What `tollgate batch` prints if nothing was started. */
const refused = record<{
  schema: number;
  state: string;
  exit_code: number;
  message: string;
  next_actions: NextAction[];
}>('Output of tollgate batch --json if nothing was started', {
  schema: version,
  state: is('refused', 'Constant that shows that nothing was started'),
  exit_code: count('Exit code of tollgate batch'),
  message: text('Why nothing was started, with a line for each task that cannot be run'),
  next_actions: nextActions(),
});

/** What `tollgate report --batch` prints of a batch without a report. */
const started = record<BatchStart>('A batch that is running, or that was killed before it wrote its report', {
  schema: version,
  batch_id: text('Id of the batch'),
  state: one('Whether the process of the batch is running; interrupted: it ended without a report', [
    'running',
    'interrupted',
  ]),
  began_at: time('Time when the batch began'),
  owner: owner('Process of the batch'),
  concurrency: count('Maximum number of paid calls at the same time'),
  task_ids: texts('Ids of the tasks of the batch'),
  next_actions: nextActions('What to do next if the process of the batch ends without a report'),
});

export const BATCH: Schema = {
  description: 'Output of tollgate batch --json and of tollgate report --batch --json',
  anyOf: [ran, started, refused],
};
