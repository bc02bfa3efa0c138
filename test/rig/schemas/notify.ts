// Defines the schema of the message to a webhook or a command at the end of a run.

import type { Notification } from '../../../policies/manifest/notification.ts';
import { NOTIFY_EVENTS } from '../../../policies/manifest/notifier.ts';
import {
  count,
  errorClass,
  map,
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

const NOTHING = 'nothing failed';

export const NOTIFICATION: Schema = record<Notification>('Notification that `notify` of tollgate.yaml sends, as JSON', {
  schema: version,
  id: text('Id of the notification, which is the same in every attempt to send it'),
  event: one('Event that the notification is about', NOTIFY_EVENTS),
  at: time('Time of the event'),
  text: text('The notification as one line for people'),
  task_id: orNull(text('Id of the task'), 'the notification is about a batch'),
  batch_id: orNull(text('Id of the batch'), 'the notification is about a task'),
  goal: orNull(text('Goal of the task'), 'the notification is about a batch'),
  exit_code: count('Exit code of the run or the batch'),
  stage: orNull(text('Name of the stage that failed'), NOTHING),
  class: orNull(errorClass, NOTHING),
  reason: orNull(reason, NOTHING),
  signature: orNull(signature('Hash that identifies the failure'), NOTHING),
  retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
  question: orNull(text('Question of a supervised task'), 'there is no question'),
  budget: orNull(
    record<NonNullable<Notification['budget']>>('Paid calls of the task', {
      used: count('Number of paid calls so far'),
      total: count('Maximum number of paid calls'),
    }),
    'the notification is about a batch',
  ),
  tasks: orNull(
    map('Number of tasks of the batch, by result', count('Number of tasks with this result')),
    'the notification is about a task',
  ),
  near_budget: texts('First 20 tasks of a batch that reached 80 % of their paid calls in it; empty for a task'),
  near_limits: texts(
    'Sentences about limits over all tasks that are used to 80 %; each is reported once on this machine',
  ),
  next_actions: nextActions(),
  summary: text('Path of the summary page, on the machine of the run or the batch'),
});
