// Defines the schema of the state that users may edit.

import { TOOL_NAME } from '../../../policies/facts/tools.ts';
import type { SessionEntry } from '../../../policies/session/session-entry.ts';
import type { Stats } from '../../../state/journal/stats.ts';
import { count, errorClass, map, orNull, record, type Schema, text, texts, time } from './parts.ts';

const stats = record<Stats>(
  'state/stats.json of a task: a view of its journal. An edit of paid_calls_used or paid_call_budget counts; the rest is written again',
  {
    paid_calls_used: count('Paid calls so far: edit it to restart the count'),
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

const open = (schema: Schema): Schema => ({ ...schema, additionalProperties: true });

export const entry = open(
  record<SessionEntry>(
    'One session that is continued',
    {
      session_id: text("The CLI's own id of it"),
      last_used: time("Its last call's end"),
      error_count: count('Failures in a row: edit it to 0 to forget them'),
      total_tokens: count('Of all its calls, as far as they were counted'),
      context_tokens: orNull(count('Prompt plus output of the last model request')),
      feature_id: text('The tag that it is kept under'),
      cwd: text('Where its CLI ran'),
      account: text('The account whose folder holds it; absent for the login of the environment'),
      poisoned: text('Why the session must not continue: delete this line to allow it'),
      in_place_of: text('The session that it took the place of, which a task may still name'),
    },
    ['account', 'poisoned', 'in_place_of'],
  ),
);

const TOOL = TOOL_NAME.source.slice(1, -1);

const sessions: Schema = {
  description: '.tmp/state/sessions.json of a project: which session each tag continues with, by tool',
  type: 'object',
  required: ['active_sessions'],
  properties: {
    active_sessions: map('By the tag of meta.feature, or the id of a task', {
      description:
        'The sessions of a tag, by tool or `tool/account`; where they are good for one folder alone with `@/the/folder` after it',
      type: 'object',
      patternProperties: { [`^${TOOL}(?:/${TOOL})?(?:@.*)?$`]: entry },
      additionalProperties: true,
    }),
    given_up: {
      ...map('Sessions that are not found again by their tag', texts('By their ids, the oldest first')),
      propertyNames: { pattern: TOOL_NAME.source },
    },
  },
  additionalProperties: true,
};

/** tollgate keeps what it does not know, so the file may contain further fields. */
export const STATE: Schema = {
  description: 'State that people may edit',
  anyOf: [{ $ref: '#/$defs/stats' }, { $ref: '#/$defs/sessions' }],
  $defs: { stats: open(stats), sessions },
};
