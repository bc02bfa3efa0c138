// Defines the schema of what `tollgate status` prints with --json.

import type { RunningBatch, RunningCall, RunningRun, TasksStatus } from '../../../loops/report/status.ts';
import type { WaitingTicket } from '../../../loops/report/waiting.ts';
import { amount, count, list, one, orNull, record, text, texts, time, tool, version } from './parts.ts';
import { STAND_IN } from './stand-in.ts';
import { ROW, STATES, TOTALS, UNREADABLE } from './tasks.ts';

type Task = TasksStatus['tasks'][number];
const { task_id, folder, at, stage, class: errorClass, reason, calls, lacks, next_action, supervision } = ROW;

export const STATUS = record<TasksStatus>('What tollgate status --json prints', {
  schema: version,
  at: time('When it was made'),
  folder: text('Where the tasks lie'),
  totals: TOTALS,
  tasks: list(
    'The tasks, the last one first',
    record<Task>('One task', {
      task_id,
      folder,
      state: one('Its state', Object.keys(STATES)),
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
  running: record<TasksStatus['running']>('What runs now', {
    batches: list(
      'Batches that have not written their report',
      record<RunningBatch>('One batch', {
        batch_id: text('Its name'),
        pid: count('Its process'),
        host: text('Where it runs'),
        began_at: time('When it began'),
        tasks: count('Its tasks'),
        done: count('Those of them that are done now'),
      }),
    ),
    runs: list(
      'Runs that have claimed their task',
      record<RunningRun>('One run', {
        task_id,
        run_id: text('As the journal names it'),
        pid: count('Its process'),
        host: text('Where it runs'),
      }),
    ),
    calls: list(
      'Calls under way',
      record<RunningCall>(
        'One call',
        {
          task_id,
          stage: text('The stage'),
          tool,
          account: text("The account of the user's settings; absent for the login of the environment"),
          stand_ins: list("The tools that it replaces, the first one first; empty for the stage's own tool", STAND_IN),
          call_id: text('As the journal names it'),
          attempt: count('Of this stage and prompt, from 1'),
          pid: count('The process that guards it'),
          host: text('Where it runs'),
          since: time('When its CLI was started, or else the call reserved'),
          elapsed_ms: amount('How long it has run, in milliseconds'),
          deadline_at: time('When it is ended at the latest'),
          last: orNull(text('What its CLI did last, in a few words'), 'it has said nothing yet'),
        },
        ['account'],
      ),
    ),
  }),
  waiting: list(
    'The calls that wait',
    record<WaitingTicket>('One of them', {
      task_id,
      stage: text('The stage'),
      pid: count('The process that waits'),
      host: text('Where it runs'),
      what: one('What it waits for: its turn on a working tree, or on a session', ['tree', 'session']),
      behind: texts('The tasks before it, oldest first'),
    }),
  ),
  unreadable: UNREADABLE,
});
