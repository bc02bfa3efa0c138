// Defines the schemas of a call's record and of a task's failure.

import type { Usage } from '../../../policies/facts/engine-event.ts';
import type { EvidenceSource, PassedLimit, Verdict } from '../../../policies/facts/evidence.ts';
import type { Omission } from '../../../policies/prompt/omissions.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { LIMIT_SENTENCES } from '../../../policies/report/failure-sentence.ts';
import type { Failure } from '../../../policies/report/task-failure.ts';
import {
  amount,
  count,
  ending,
  errorClass,
  hash,
  list,
  map,
  nextActions,
  one,
  orNull,
  reason,
  record,
  signature,
  text,
  texts,
  time,
  tool,
  version,
  whole,
} from './parts.ts';

const SOURCES: Record<EvidenceSource, true> = {
  terminal: true,
  ending: true,
  failure: true,
  error: true,
  stderr: true,
  exit_code: true,
  gate: true,
  none: true,
};

export const evidenceSource = one('Where the deciding text was found', Object.keys(SOURCES));

const LIMIT_UNITS: Record<PassedLimit['unit'], true> = {
  ms: true,
  turns: true,
  bytes: true,
  characters: true,
  calls: true,
  tokens: true,
  usd: true,
  iterations: true,
};

export const limit = record<PassedLimit>(
  'The limit of the user that ended or refused the call; absent for another cause, and in older records',
  {
    name: one('Which limit; `rest_of`: the call itself used what remained of it', Object.keys(LIMIT_SENTENCES)),
    value: amount('Its value'),
    per: one('The period of a budget over all tasks', ['day', 'week', 'month']),
    unit: one('The unit of the value', Object.keys(LIMIT_UNITS)),
  },
  ['per'],
);

export const evidence = orNull(
  record<NonNullable<Verdict['evidence']>>(
    'What the verdict is built on',
    {
      source: evidenceSource,
      text: text('The deciding text, secrets redacted'),
      rule: text('The rule that matched; tollgate explain shows it'),
      limit,
    },
    ['limit'],
  ),
  'nothing failed',
);

const usage = record<Usage>('What the call used', {
  api_requests: orNull(count('Requests to the model')),
  turns: orNull(count('Turns of the engine')),
  input_tokens: orNull(count('Tokens of the prompts, cached ones included')),
  cached_tokens: orNull(count('Tokens of the prompts that came from a cache')),
  output_tokens: orNull(count('Tokens of the answers')),
  total_tokens: orNull(count('All tokens')),
  usd: orNull(amount('US dollars')),
});

/** For a record, and for a stage in a report. */
export const leftOut = list(
  'What a digest omitted from the prompt',
  record<Omission>('One part of it', {
    what: text('Which, by its name'),
    kept: count('Characters of it in the prompt'),
    chars: count('Characters that it has'),
  }),
);

export const CALL = record<CallRecord>(
  'The record of one call: what every ending leaves behind',
  {
    schema: version,
    call_id: text('The call; its private folder is state/attempts/<call_id>'),
    tool,
    cli_version: orNull(text('The version of the CLI')),
    model: orNull(text('The model that answered, or the requested one')),
    account: text("The account of the user's settings; absent for the login of the environment"),
    argv: texts("The CLI's arguments, secrets redacted; the prompt is never among them"),
    cwd: text('Where the CLI ran'),
    started_at: time('When the call was begun'),
    duration_ms: orNull(amount('How long the CLI ran, in milliseconds')),
    ending,
    native_exit_code: orNull(whole("The CLI's own exit code"), 'it ended otherwise'),
    signal: orNull(text('The signal that ended the CLI'), 'none did'),
    wrapper_exit_code: count("The wrapper's exit code"),
    session_id: orNull(text("The CLI's session")),
    answer_bytes: count('Bytes of the answer'),
    prompt_sha256: orNull(hash('Over the bytes that were sent'), 'nothing was read'),
    usage,
    tool_calls: orNull(count('Tools that the agent called')),
    denied_tools: texts('Tools that the sandbox or a policy denied'),
    warnings: texts('What was unusual, though the call may have succeeded'),
    verdict: record<Verdict>('What happened', {
      class: orNull(errorClass, 'a success'),
      reason: orNull(reason, 'a success'),
      evidence,
      retry_at: orNull(time('Before it, the service says, the call is in vain'), 'it did not say'),
    }),
    signature: orNull(signature('Equal for two runs of one failure'), 'a success'),
    orphans_killed: orNull(count("Processes of the call beside the CLI's own that had to be ended")),
    inner_retries: orNull(count('Retries of its own that the CLI announced')),
    left_out: leftOut,
    http_status: whole('With which the service answered a call that failed'),
    tool_sha256: hash('Over the description that the project gave of its CLI; only of such a one'),
    next_actions: nextActions('What to do, the best first; only of a call that failed, and of none that a run made'),
  },
  ['account', 'left_out', 'http_status', 'tool_sha256', 'next_actions'],
);

export const FAILURE = record<Failure>(
  'The last failure of a task',
  {
    schema: version,
    task_id: text('The task'),
    folder: text('The folder of the task as it failed; only in `last_failure.json`'),
    stage: orNull(text('The stage that failed'), 'the task failed before any'),
    tool: orNull(tool, 'none was called'),
    attempt: orNull(count('Which call of the stage in that run, from 1'), 'none was made'),
    at: time('When it failed'),
    class: errorClass,
    reason: orNull(reason),
    signature: orNull(signature('Equal for two runs of one failure'), 'it has none'),
    count: count('How often this signature was seen in this stage in that run'),
    exit_code: count("The wrapper's exit code, or the run's"),
    native_exit_code: orNull(whole("The CLI's own exit code"), 'it ended otherwise'),
    signal: orNull(text('The signal that ended the CLI'), 'none did'),
    ending: orNull(ending, 'no call was made'),
    evidence,
    decision: record<Failure['decision']>('What was done about it', {
      action: text('What was done, such as stop'),
      why: text('Why, as half a sentence'),
    }),
    retry_at: orNull(time('Before it, the service says, a call is in vain'), 'it did not say'),
    next_actions: nextActions(),
    http_status: whole('With which the service answered'),
    findings: list(
      'What the gate found, the weightiest first',
      record<NonNullable<Failure['findings']>[number]>('One finding', {
        check: text('Which check'),
        reason: text('One word for machines'),
        text: text('One sentence'),
      }),
    ),
    missing: texts('What the gate found missing or out of bounds, by name'),
    changed: texts('What the stage has changed in the tree, as far as it was looked at'),
    stderr_head: list('The first lines of stderr, redacted', { type: 'string' }),
    stderr_tail: list('The last lines of stderr, redacted; empty when the head is all', { type: 'string' }),
    files: map('Where the outputs of the stage lie', { type: 'string' }),
    resolved_at: orNull(time('When a later success resolved it'), 'it is not resolved'),
  },
  ['findings', 'folder', 'http_status'],
);
