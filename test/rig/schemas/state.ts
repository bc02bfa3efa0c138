// Defines the schema of the state that users may edit.

import { TOOL_NAME } from '../../../policies/facts/tools.ts';
import type { SessionEntry } from '../../../policies/session/session-entry.ts';
import type { Stats } from '../../../state/journal/stats.ts';
import { count, errorClass, map, orNull, record, type Schema, text, texts, time } from './parts.ts';

const stats = record<Stats>(
  'state/stats.json of a task, made from its journal; users may edit paid_calls_used and paid_call_budget, the rest is overwritten',
  {
    paid_calls_used: count('Number of paid calls so far; edit it to restart the count'),
    paid_call_budget: count('Maximum number of paid calls; edit it to allow more'),
    stages_completed: texts('Names of the stages that are done'),
    signatures: map(
      'Failures over the whole life of the task, by signature',
      record<Stats['signatures'][string]>('Failures with one signature', {
        count: count('Number of failures with this signature'),
        class: orNull(errorClass, 'unknown'),
        first_seen: time('Time of the first failure with this signature'),
        last_seen: time('Time of the last failure with this signature'),
      }),
    ),
    journal_offset: count('Size of the journal, in bytes, that this file was made from; do not edit it'),
  },
);

const open = (schema: Schema): Schema => ({ ...schema, additionalProperties: true });

export const entry = open(
  record<SessionEntry>(
    'A session that tasks continue',
    {
      session_id: text('Id of the session in the CLI'),
      last_used: time('Time when the last call of the session ended'),
      error_count: count('Number of consecutive failures of the session; edit it to 0 to reset the count'),
      total_tokens: count('Number of tokens of all calls of the session, as far as they were counted'),
      context_tokens: orNull(count('Number of tokens of the last model request, input plus output')),
      feature_id: text('Tag of the session'),
      cwd: text('Working directory of the CLI'),
      account: text('The account whose folder contains the session; absent for the login of the environment'),
      poisoned: text('Why the session must not continue; delete this field to allow it'),
      in_place_of: text('Id of the session that this session replaced, which a task may still name; otherwise absent'),
    },
    ['account', 'poisoned', 'in_place_of'],
  ),
);

const TOOL = TOOL_NAME.source.slice(1, -1);

const sessions: Schema = {
  description: '.tmp/state/sessions.json of a project: the sessions that each tag continues, by CLI',
  type: 'object',
  required: ['active_sessions'],
  properties: {
    active_sessions: map('Sessions by tag, which is meta.feature or the id of a task', {
      description:
        'Sessions of a tag, by `tool` or `tool/account`, followed by `@/the/folder` if they can be used only in that folder',
      type: 'object',
      patternProperties: { [`^${TOOL}(?:/${TOOL})?(?:@.*)?$`]: entry },
      additionalProperties: true,
    }),
    given_up: {
      ...map('Sessions that are no longer found by their tag, by CLI', texts('Ids of the sessions, the oldest first')),
      propertyNames: { pattern: TOOL_NAME.source },
    },
  },
  additionalProperties: true,
};

/** tollgate keeps what it does not know, so the file may contain further fields. */
export const STATE: Schema = {
  description: 'State files that users may edit',
  anyOf: [{ $ref: '#/$defs/stats' }, { $ref: '#/$defs/sessions' }],
  $defs: { stats: open(stats), sessions },
};
