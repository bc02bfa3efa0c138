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

export const NOTIFICATION: Schema = record<Notification>('What notify of tollgate.yaml says, as JSON', {
  schema: version,
  id: text('Of this word: it is the same in every try to send it'),
  event: one('Of what it is', NOTIFY_EVENTS),
  at: time('When'),
  text: text('One line for people'),
  task_id: orNull(text('The task'), 'it is about a batch'),
  batch_id: orNull(text('The batch'), 'it is about a task'),
  goal: orNull(text('Of the task'), 'it is about a batch'),
  exit_code: count('Of the run or the batch'),
  stage: orNull(text('The stage that failed'), NOTHING),
  class: orNull(errorClass, NOTHING),
  reason: orNull(reason, NOTHING),
  signature: orNull(signature('Of the failure'), NOTHING),
  retry_at: orNull(time('Before it, the service says, a call is in vain'), 'it did not say'),
  question: orNull(text('What a supervised task asks'), 'it asks nothing'),
  budget: orNull(
    record<NonNullable<Notification['budget']>>('Paid calls of the task', {
      used: count('So far'),
      total: count('Allowed in all'),
    }),
    'it is about a batch',
  ),
  tasks: orNull(map('Of a batch: how many tasks ended how', count('So many')), 'it is about a task'),
  near_budget: texts('Of a batch: the tasks that reached 80 % of their paid calls in it, the first 20'),
  near_limits: texts('Limits over all tasks of which 80 % are used, each reported once on this machine'),
  next_actions: nextActions(),
  summary: text('The page about it, on the machine that ran it'),
});
