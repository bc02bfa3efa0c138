// Defines the schemas of what `tollgate report` prints with --errors --json and with --health --json.

import type { ErrorObject, ErrorsObject, HealthObject } from '../../../bin/tollgate/report/errors-page.ts';
import type { ApiSnapshot, SentRequest } from '../../../policies/api-errors/entry.ts';
import type { Counts } from '../../../policies/api-errors/health.ts';
import { evidenceSource } from './call.ts';
import {
  count,
  ending,
  errorClass,
  is,
  list,
  map,
  one,
  orNull,
  reason,
  record,
  type Schema,
  signature,
  text,
  time,
  tool,
  version,
  whole,
} from './parts.ts';

const bytes = count('Of its line in the log');
const snapshot: Schema = {
  description: 'Where the conversation was read from',
  anyOf: [
    record<Extract<ApiSnapshot, { how: 'read' }>>('It is in the log', {
      how: is('read', 'It was read'),
      from: one("The CLI's session file, gemini's own report of the error, or what was sent alone", [
        'session_file',
        'client_error',
        'prompt',
      ]),
      file: orNull(text('The file that it was read from'), 'the prompt of the call'),
      less: orNull(text('Why it is less than the whole conversation'), 'it is whole'),
      bytes,
    }),
    record<Extract<ApiSnapshot, { how: 'absent' }>>('There is none', {
      how: is('absent', 'It could not be read'),
      why: text('Why not'),
      bytes,
    }),
  ],
};

const request: Schema = {
  description: 'Where the failed request is; absent in an entry of an older version',
  anyOf: [
    record<Extract<SentRequest, { source: 'relay' }>>('As it was sent (--record-requests)', {
      source: is('relay', 'It went through a relay'),
      file: text('The file with it and its answer, secrets redacted'),
    }),
    record<Exclude<SentRequest, { source: 'relay' }>>('It was not recorded', {
      source: one('The conversation in the log folds it, from there; none: nothing could be had', [
        'session_file',
        'client_error',
        'prompt',
        'none',
      ]),
    }),
  ],
};

const error = record<ErrorObject>(
  'One API failure',
  {
    at: time('When it was logged'),
    call_id: text('The call'),
    task: orNull(text('Its task'), 'a call without one'),
    stage: orNull(text('Its stage'), 'a call without a task'),
    run_id: orNull(text('The run that made the call'), "a caller's own"),
    tool,
    cli_version: orNull(text('The version of the CLI')),
    model: orNull(text('The model that answered, or the requested one')),
    session_id: orNull(text("The CLI's session")),
    ending,
    attempt: text('The private folder of the call; it may be gone'),
    cwd: text('Where the CLI ran'),
    class: errorClass,
    reason: orNull(reason),
    signature: orNull(signature('Equal for two failures that are one')),
    source: orNull(evidenceSource),
    rule: orNull(text('The rule that matched')),
    snapshot,
    request,
    status: orNull(whole('HTTP status'), 'its CLI does not tell'),
    message: text('Its beginning, secrets redacted'),
    headers: orNull(map('What the CLI tells of the headers', { type: 'string' }), 'nothing'),
    stand: one('What became of it; open: its stage has not ended', ['recovered', 'retried', 'unrecovered', 'open']),
    log: text('The log that holds it'),
    conversation: {
      description: 'With --full: the conversation, as turns or as it was sent; null: it is gone, or too large',
    },
  },
  ['conversation', 'request'],
);

export const ERRORS = record<ErrorsObject>('What tollgate report --errors --json prints', {
  schema: version,
  at: time('When it was made'),
  folder: text('The folder that holds the logs'),
  errors: list('The API failures, the newest last', error),
  left_out: count('Older ones that were not requested'),
  unreadable: list(
    'Entries that are torn, or of a newer version',
    record<ErrorsObject['unreadable'][number]>('One entry', {
      file: text('The log'),
      at: count('The byte at which it begins'),
    }),
  ),
});

const COUNTS = {
  unrecovered: count('Neither a retry nor a repair healed it'),
  recovered: count('Healed, or followed by an attempt that counts in its stead'),
  users: count('Of class auth or quota: for the user, and not counted as unrecovered'),
  open: count('Their stage has not ended'),
} as const satisfies Record<keyof Counts, Schema>;

export const HEALTH = record<HealthObject>('What tollgate report --health --json prints', {
  schema: version,
  at: time('When it was made'),
  since: time('From when on is counted'),
  folder: text('The folder that holds the logs'),
  days_without: orNull(count('Whole days since the last unrecovered API failure, of all time'), 'there was none'),
  last_unrecovered: orNull(time('When the last one was'), 'there was none'),
  first_logged: orNull(time('When the first API failure was logged'), 'none was'),
  total: record<Counts>('Over all days that are counted', COUNTS),
  days: list(
    'The days on which something failed, the oldest first',
    record<HealthObject['days'][number]>('One day', { day: text('As YYYY-MM-DD (UTC)'), ...COUNTS }),
  ),
  tools: list(
    'By tool and version, the most unrecovered first',
    record<HealthObject['tools'][number]>('One of them', {
      tool: text('Which CLI'),
      cli_version: orNull(text('Its version')),
      ...COUNTS,
    }),
  ),
  unreadable: count('Entries that could not be read, and are not counted'),
});
