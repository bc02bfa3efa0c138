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

export const evidenceSource = one('Where the text that decided the verdict was found', Object.keys(SOURCES));

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
    name: one(
      'Name of the limit; `rest_of`: the call itself used what remained of the limit',
      Object.keys(LIMIT_SENTENCES),
    ),
    value: amount('Value of the limit, in its unit'),
    per: one('Period of a budget over all tasks; absent for another limit', ['day', 'week', 'month']),
    unit: one('Unit of the value of the limit', Object.keys(LIMIT_UNITS)),
  },
  ['per'],
);

export const evidence = orNull(
  record<NonNullable<Verdict['evidence']>>(
    'Evidence that the verdict is based on',
    {
      source: evidenceSource,
      text: text('The text that decided the verdict, with secrets redacted'),
      rule: text('Id of the rule that matched; tollgate explain shows the rule'),
      limit,
    },
    ['limit'],
  ),
  'nothing failed',
);

const usage = record<Usage>('Requests, turns, tokens and cost of the call', {
  api_requests: orNull(count('Number of requests to the model')),
  turns: orNull(count('Number of turns of the agent')),
  input_tokens: orNull(count('Number of input tokens, including those from a cache')),
  cached_tokens: orNull(count('Number of input tokens that came from a cache')),
  output_tokens: orNull(count('Number of output tokens')),
  total_tokens: orNull(count('Number of all tokens')),
  usd: orNull(amount('Cost in US dollars, as the CLI reported it')),
});

/** For a record, and for a stage in a report. */
export const leftOut = list(
  'Parts that a digest omitted from the prompt, or shortened',
  record<Omission>('One part that a digest omitted from the prompt, or shortened', {
    what: text('Name of the part of the prompt'),
    kept: count('Number of characters of the part that are in the prompt'),
    chars: count('Number of characters of the whole part'),
  }),
);

export const CALL = record<CallRecord>(
  'Record of one call, which exists however the call ended',
  {
    schema: version,
    call_id: text('Id of the call; in a task, its private folder is state/attempts/<call_id>'),
    tool,
    cli_version: orNull(text('Version of the CLI')),
    model: orNull(text('The model that answered, or the requested one')),
    account: text("The account of the user's settings; absent for the login of the environment"),
    argv: texts('Arguments of the CLI, with secrets redacted; the prompt is never among them'),
    cwd: text('Working directory of the CLI'),
    started_at: time('Time when the call began'),
    duration_ms: orNull(amount('Duration of the process of the CLI, in milliseconds')),
    ending,
    native_exit_code: orNull(whole('Exit code of the CLI itself'), 'the CLI did not exit with a code'),
    signal: orNull(text('Name of the signal that ended the CLI'), 'no signal ended it'),
    wrapper_exit_code: count('Exit code of the wrapper'),
    session_id: orNull(text('Id of the session in the CLI')),
    answer_bytes: count('Size of the answer, in bytes'),
    prompt_sha256: orNull(hash('SHA-256 of the prompt as it was sent'), 'no prompt was read'),
    usage,
    tool_calls: orNull(count('Number of tool calls of the agent')),
    denied_tools: texts('Names of the tools that the sandbox or a policy denied'),
    warnings: texts('Unusual events of the call, which may have succeeded nevertheless'),
    verdict: record<Verdict>('Result of the call: class and reason of its failure, and the evidence', {
      class: orNull(errorClass, 'the call succeeded'),
      reason: orNull(reason, 'the call succeeded'),
      evidence,
      retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
    }),
    signature: orNull(
      signature('Hash that identifies the failure; equal failures of different calls have the same hash'),
      'the call succeeded',
    ),
    orphans_killed: orNull(count('Number of processes of the call, besides the CLI itself, that had to be ended')),
    inner_retries: orNull(count('Number of internal retries that the CLI announced')),
    left_out: leftOut,
    http_status: whole('HTTP status of the failed call; absent if the CLI reported none or the call succeeded'),
    tool_sha256: hash('SHA-256 of the description of the CLI in tollgate.yaml; absent for a built-in CLI'),
    next_actions: nextActions(
      'What to do next, the best action first; absent after a success, and for a call of a run',
    ),
  },
  ['account', 'left_out', 'http_status', 'tool_sha256', 'next_actions'],
);

export const FAILURE = record<Failure>(
  'The last failure of a task',
  {
    schema: version,
    task_id: text('Id of the task'),
    folder: text('Path of the folder of the task when it failed; only in `last_failure.json`'),
    stage: orNull(text('Name of the stage that failed'), 'the task failed before any stage'),
    tool: orNull(tool, 'the task failed before any stage'),
    attempt: orNull(count('Number of the call in the stage and the run, from 1'), 'no call was made'),
    at: time('Time of the failure'),
    class: errorClass,
    reason: orNull(reason),
    signature: orNull(
      signature('Hash that identifies the failure; equal failures of different runs have the same hash'),
      'there is none',
    ),
    count: count('How often a failure with this signature occurred in this stage and run'),
    exit_code: count('Exit code of the wrapper, or of the run if no call was made'),
    native_exit_code: orNull(whole('Exit code of the CLI itself'), 'the CLI did not exit with a code'),
    signal: orNull(text('Name of the signal that ended the CLI'), 'no signal ended it'),
    ending: orNull(ending, 'no call was made'),
    evidence,
    decision: record<Failure['decision']>('What the run did after the failure', {
      action: text('Action of the run, such as stop'),
      why: text('Reason for the action, as part of a sentence'),
    }),
    retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
    next_actions: nextActions(),
    http_status: whole('HTTP status of the failed call; absent if the CLI reported none'),
    findings: list(
      'Findings of the gate, the most serious first; absent for other failures, and in older records',
      record<NonNullable<Failure['findings']>[number]>('One finding of the gate', {
        check: text('Name of the check that has the finding'),
        reason: text('Reason of the finding, as one word'),
        text: text('Description of the finding, in one sentence'),
      }),
    ),
    missing: texts('Names of what the gate found missing or out of scope'),
    changed: texts('Paths that the stage changed in the tree, as far as the tree was checked'),
    stderr_head: list('First lines of stderr, with secrets redacted', { type: 'string' }),
    stderr_tail: list('Last lines of stderr, with secrets redacted; empty if `stderr_head` has all lines', {
      type: 'string',
    }),
    files: map('Paths of the output files of the stage, by kind', { type: 'string' }),
    resolved_at: orNull(time('Time when a later success resolved the failure'), 'the failure is not resolved'),
  },
  ['findings', 'folder', 'http_status'],
);
