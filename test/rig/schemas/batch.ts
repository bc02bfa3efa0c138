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
  done: count('Tasks that are done'),
  failed: count('Tasks that failed'),
  broken: count('Tasks that ran without a report'),
  interrupted: count('Tasks whose run was stopped'),
  refused: count('Tasks that did not run, with the reason'),
  not_started: count('Tasks whose turn never came'),
} as const satisfies Record<BatchState, Schema>;

const NO_RECORD = 'there is no failure record';
const retryAt = orNull(time('Before it, the service says, a call is in vain'), 'it did not say');

const row = record<BatchRow>('One task', {
  task_id: text('The task, or the word that names none'),
  state: one('What became of it', Object.keys(STATES)),
  exit_code: orNull(count('As of tollgate run'), 'it was not started'),
  failed_stage: orNull(text('The stage that failed'), `${NO_RECORD}, or it failed before any stage`),
  class: orNull(errorClass, NO_RECORD),
  reason: orNull(reason, NO_RECORD),
  signature: orNull(signature('Equal for one failure of two tasks'), `${NO_RECORD}, or it has none`),
  retry_at: retryAt,
  calls: count('Paid calls of this batch'),
  message: orNull(text('What happened, in one sentence'), 'its own report says more'),
  stages: list(
    'Its stages in order; empty where nothing was run',
    record<BatchStage>('One stage', BATCH_STAGE, ['account']),
  ),
});

const failure = record<BatchFailure>('One failure', {
  signature: orNull(signature('What they have in common'), 'they have class and reason, or a message in common'),
  class: orNull(errorClass, NO_RECORD),
  reason: orNull(reason, NO_RECORD),
  message: orNull(text('What happened, in one sentence'), 'there is a failure record'),
  retry_at: retryAt,
  count: count('How many tasks have it'),
  task_ids: texts('The first 20 of them'),
  next_actions: nextActions('What to do, as the first of them says'),
});

const ran = record<BatchReport>(
  'The report of a batch',
  {
    schema: version,
    batch_id: text('Its name'),
    state: one('How it ended', ['done', 'failed', 'interrupted']),
    exit_code: count('The exit code of tollgate batch'),
    tasks: list('The tasks: those that cannot be run, then the others in the order given', row),
    totals: record<BatchReport['totals']>('Over all tasks', {
      ...STATES,
      tasks: count('All of them'),
      calls: count('Paid calls'),
      duration_ms: amount('How long it took, in milliseconds'),
    }),
    by_failure: list('Their failures, the most frequent first', failure),
    notes: texts('What else is worth knowing'),
    next_actions: nextActions(),
    files: record<BatchReport['files']>('Files with more details', {
      report: text('This record'),
      summary: text('The page for a reader with little time'),
      left: orNull(text('The tasks that remain, one per line'), 'none is'),
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
}>('The answer where nothing was run', {
  schema: version,
  state: is('refused', 'Nothing was started'),
  exit_code: count('The exit code of tollgate batch'),
  message: text('Why; a line for each task that cannot be run'),
  next_actions: nextActions(),
});

/** What `tollgate report --batch` prints of a batch without a report. */
const started = record<BatchStart>('A batch that runs, or was killed', {
  schema: version,
  batch_id: text('Its name'),
  state: one('Whether its process still runs', ['running', 'interrupted']),
  began_at: time('When it began'),
  owner: owner('Its process'),
  concurrency: count('Paid calls at once'),
  task_ids: texts('Its tasks'),
  next_actions: nextActions('What to do if its process ends without a report'),
});

export const BATCH: Schema = {
  description: 'What tollgate batch --json prints, and tollgate report --batch of one that has not ended',
  anyOf: [ran, started, refused],
};
