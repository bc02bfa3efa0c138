// Defines the schema of what `tollgate status` prints with --json.

import type { RunningBatch, RunningCall, RunningRun, TasksStatus } from '../../../loops/report/status.ts';
import type { WaitingTicket } from '../../../loops/report/waiting.ts';
import { amount, count, list, one, orNull, record, text, texts, time, tool, version } from './parts.ts';
import { STAND_IN } from './stand-in.ts';
import { ROW, STATES, TOTALS, UNREADABLE } from './tasks.ts';

type Task = TasksStatus['tasks'][number];
const { task_id, folder, at, stage, class: errorClass, reason, calls, lacks, next_action, supervision } = ROW;

export const STATUS = record<TasksStatus>('Output of tollgate status --json', {
  schema: version,
  at: time('Time when the status was read'),
  folder: text('Path of the folder that contains the tasks'),
  totals: TOTALS,
  tasks: list(
    'Tasks, the last active one first',
    record<Task>('One task', {
      task_id,
      folder,
      state: one('State of the task', Object.keys(STATES)),
      at,
      stage,
      class: errorClass,
      reason,
      calls,
      lacks,
      next_action,
      supervision,
    }),
  ),
  running: record<TasksStatus['running']>('Batches, runs and calls in progress', {
    batches: list(
      'Batches in progress, which have not written their report yet',
      record<RunningBatch>('One batch in progress', {
        batch_id: text('Id of the batch'),
        pid: count('Id of the process of the batch'),
        host: text('Name of the machine of the process'),
        began_at: time('Time when the batch began'),
        tasks: count('Number of tasks of the batch'),
        done: count('Number of tasks of the batch that are done now'),
      }),
    ),
    runs: list(
      'Runs that have claimed their task',
      record<RunningRun>('One run in progress', {
        task_id,
        run_id: text('Id of the run'),
        pid: count('Id of the process of the run'),
        host: text('Name of the machine of the process'),
      }),
    ),
    calls: list(
      'Calls in progress',
      record<RunningCall>(
        'One call in progress',
        {
          task_id,
          stage: text('Name of the stage'),
          tool,
          account: text("The account of the user's settings; absent for the login of the environment"),
          stand_ins: list('Fallbacks so far, the first one first; empty if the stage uses its own CLI', STAND_IN),
          call_id: text('Id of the call'),
          attempt: count('Number of the call for this stage and prompt, from 1'),
          pid: count('Id of the process that guards the call'),
          host: text('Name of the machine of the process'),
          since: time('Time when the CLI was started, or else when the call was reserved'),
          elapsed_ms: amount('Time since the start of the call, in milliseconds'),
          deadline_at: time('Time at which the call is ended at the latest'),
          last: orNull(text('Last activity of the CLI, in a few words'), 'the CLI has reported nothing yet'),
        },
        ['account'],
      ),
    ),
  }),
  waiting: list(
    'Calls that wait for their turn',
    record<WaitingTicket>('One waiting call', {
      task_id,
      stage: text('Name of the stage'),
      pid: count('Id of the process that waits'),
      host: text('Name of the machine of the process'),
      what: one('What the call waits for: its turn on a working tree, or on a session', ['tree', 'session']),
      behind: texts('Ids of the tasks that have the turn, or are earlier in the queue, the oldest first'),
    }),
  ),
  unreadable: UNREADABLE,
});
