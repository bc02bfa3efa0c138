// The schema of the state that people may edit.

import type { Stats } from '../../../state/stats.ts';
import { count, errorClass, map, orNull, record, type Schema, texts, time } from './parts.ts';

const stats = record<Stats>(
  'state/stats.json of a task: a view of its journal. An edit of paid_calls_used or paid_call_budget counts; the rest is made anew',
  {
    paid_calls_used: count('Paid calls so far: edit it to count anew'),
    paid_call_budget: count('Paid calls allowed in all: edit it to allow more'),
    stages_completed: texts('Stages that are done'),
    signatures: map(
      'Failures over the whole life of the task, by signature',
      record<Stats['signatures'][string]>('One signature', {
        count: count('How often it was seen'),
        class: orNull(errorClass, 'unknown'),
        first_seen: time('When it was seen first'),
        last_seen: time('When it was seen last'),
      }),
    ),
    journal_offset: count('Bytes of the journal that this view was made from: leave it as it is'),
  },
);

/** What tollgate does not know it keeps, so more may stand in the file. */
export const STATE: Schema = {
  description: 'State that people may edit',
  $ref: '#/$defs/stats',
  $defs: { stats: { ...stats, additionalProperties: true } },
};
