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

const bytes = count('Size of the line of the conversation in the log, in bytes');
const snapshot: Schema = {
  description: 'Source of the conversation that the log contains',
  anyOf: [
    record<Extract<ApiSnapshot, { how: 'read' }>>('The log contains the conversation', {
      how: is('read', 'Constant that shows that the conversation could be read'),
      from: one(
        "Source of the conversation: the session file of the CLI, gemini's own report, or the sent prompt alone",
        ['session_file', 'client_error', 'prompt'],
      ),
      file: orNull(text('Path of the file that the conversation was read from'), 'it is the prompt of the call'),
      less: orNull(text('Why the log does not contain the whole conversation'), 'it is complete'),
      bytes,
    }),
    record<Extract<ApiSnapshot, { how: 'absent' }>>('The log does not contain the conversation', {
      how: is('absent', 'Constant that shows that the conversation could not be read'),
      why: text('Why the conversation could not be read'),
      bytes,
    }),
  ],
};

const request: Schema = {
  description: 'Where the failed request is stored; absent in an entry of an older version',
  anyOf: [
    record<Extract<SentRequest, { source: 'relay' }>>('The request was recorded as it was sent (--record-requests)', {
      source: is('relay', 'Constant that shows that a relay recorded the request'),
      file: text('Path of the file with the request and its response, with secrets redacted'),
    }),
    record<Exclude<SentRequest, { source: 'relay' }>>('The request was not recorded', {
      source: one('Source of the conversation in the log, which contains the request; none: there is no source', [
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
    at: time('Time when the failure was logged'),
    call_id: text('Id of the call that failed'),
    task: orNull(text('Id of the task'), 'the call has no task'),
    stage: orNull(text('Name of the stage'), 'the call has no task'),
    run_id: orNull(text('Id of the run that made the call'), 'no run made the call'),
    tool,
    cli_version: orNull(text('Version of the CLI')),
    model: orNull(text('The model that answered, or the requested one')),
    session_id: orNull(text('Id of the session in the CLI')),
    ending,
    attempt: text('Path of the private folder of the call, which may no longer exist'),
    cwd: text('Working directory of the CLI'),
    class: errorClass,
    reason: orNull(reason),
    signature: orNull(signature('Hash that identifies the failure; equal failures have the same hash')),
    source: orNull(evidenceSource),
    rule: orNull(text('Id of the rule that matched')),
    snapshot,
    request,
    status: orNull(whole('HTTP status of the failed request'), 'the CLI does not report it'),
    message: text('Beginning of the error message, with secrets redacted'),
    headers: orNull(
      map('HTTP headers of the response, as far as they were reported or recorded', { type: 'string' }),
      'there are none',
    ),
    stand: one('Outcome of the failure; retried: the next attempt failed too; open: the stage has not ended', [
      'recovered',
      'retried',
      'unrecovered',
      'open',
    ]),
    log: text('Path of the log that contains the failure'),
    conversation: {
      description:
        'The conversation, as turns or as it was sent; only with --full; null if it no longer exists or is too large',
    },
  },
  ['conversation', 'request'],
);

export const ERRORS = record<ErrorsObject>('Output of tollgate report --errors --json', {
  schema: version,
  at: time('Time when the report was made'),
  folder: text('Path of the folder that contains the logs'),
  errors: list('API failures, the newest last', error),
  left_out: count('Number of older API failures that the report does not list'),
  unreadable: list(
    'Entries of the logs that are incomplete, or of a newer version',
    record<ErrorsObject['unreadable'][number]>('One entry that cannot be read', {
      file: text('Path of the log that contains the entry'),
      at: count('Offset of the entry in the log, in bytes'),
    }),
  ),
});

const COUNTS = {
  unrecovered: count('Number of failures that neither a retry nor a repair resolved'),
  recovered: count('Number of failures that were recovered, or followed by an attempt that counts instead'),
  users: count('Number of failures of class auth or quota, which the user must resolve; not counted as unrecovered'),
  open: count('Number of failures whose stage has not ended'),
} as const satisfies Record<keyof Counts, Schema>;

export const HEALTH = record<HealthObject>('Output of tollgate report --health --json', {
  schema: version,
  at: time('Time when the report was made'),
  since: time('Start of the period that is counted'),
  folder: text('Path of the folder that contains the logs'),
  days_without: orNull(
    count('Number of whole days since the last unrecovered API failure of all time'),
    'there was no such failure',
  ),
  last_unrecovered: orNull(time('Time of the last unrecovered API failure of all time'), 'there was no such failure'),
  first_logged: orNull(time('Time when the first API failure was logged'), 'no failure was logged'),
  total: record<Counts>('Number of API failures in the counted period, by outcome', COUNTS),
  days: list(
    'Days with API failures, the oldest first',
    record<HealthObject['days'][number]>('Number of API failures on one day, by outcome', {
      day: text('Day in UTC, as YYYY-MM-DD'),
      ...COUNTS,
    }),
  ),
  tools: list(
    'API failures by CLI and version, the most unrecovered first',
    record<HealthObject['tools'][number]>('Number of API failures of one version of a CLI, by outcome', {
      tool: text('Name of the CLI'),
      cli_version: orNull(text('Version of the CLI')),
      ...COUNTS,
    }),
  ),
  unreadable: count('Number of entries that could not be read, and are not counted'),
});
