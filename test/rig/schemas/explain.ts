// Defines the schema of what `tollgate explain` prints with --json.

import type { FailureExplanation, ShownRow } from '../../../loops/report/explanation.ts';
import { limit } from './call.ts';
import { FINDING } from './gate.ts';
import {
  count,
  errorClass,
  is,
  list,
  nextActions,
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
} from './parts.ts';

type Rule = NonNullable<FailureExplanation['rule']>;
type Looks = NonNullable<ShownRow['looks_for']>;

const match: Schema = {
  description: 'Conditions of the rule: status, code, wording, requested wait, exit',
  type: 'object',
  additionalProperties: true,
};

const explained = record<FailureExplanation>('Explanation of a failure', {
  schema: version,
  task_id: text('Id of the task'),
  of: one('Whether this is the last failure of the task, or the failure of another call', ['last_failure', 'call']),
  stage: orNull(text('Name of the stage'), 'the task failed before any stage'),
  tool: orNull(tool, 'the task failed before any stage'),
  call_id: orNull(text('Id of the call that failed'), 'the failure belongs to no call'),
  at: time('Time of the failure'),
  resolved_at: orNull(time('Time when a later success resolved the failure'), 'the failure is not resolved'),
  sentence: text('What happened, in one sentence'),
  class: errorClass,
  meaning: text('Meaning of the class of the failure'),
  reason: orNull(reason, 'there is none'),
  evidence: orNull(
    record<NonNullable<FailureExplanation['evidence']>>(
      'Evidence that the verdict is based on',
      {
        source: text('Where the text that decided the verdict was found'),
        text: text('The text that decided the verdict, with secrets redacted'),
        limit,
      },
      ['limit'],
    ),
    'there is none',
  ),
  rule: orNull(
    record<Rule>('The rule that decided the verdict', {
      id: text('Id of the rule'),
      of: orNull(
        one('Whether the rule is built in, or one of the project', ['tollgate', 'project']),
        'the rule no longer exists',
      ),
      row: orNull(
        record<ShownRow>('Content of the rule', {
          kind: one('What the rule applies to: a text, the ending of the call, or a call that no text decides', [
            'said',
            'ending',
            'leftover',
          ]),
          class: errorClass,
          reason,
          looks_for: orNull(
            record<Looks>('The text that the rule looks for', {
              tool: text('Name of the CLI that the rule applies to, or any'),
              source: text('Where the text must be found, or any'),
              match,
            }),
            'the rule looks for no text',
          ),
        }),
        'the rule has none, or no longer exists',
      ),
    }),
    'no rule decided',
  ),
  signature: orNull(
    signature('Hash that identifies the failure; equal failures of different tasks have the same hash'),
    'there is none',
  ),
  signed: orNull(
    record<NonNullable<FailureExplanation['signed']>>('The text that the signature is computed from', {
      source: one('Source of the text: stderr, an error event, or details of the failure', [
        'stderr',
        'event',
        'detail',
      ]),
      normalised: text('The text without its volatile parts'),
    }),
    'it cannot be computed again',
  ),
  seen: record<FailureExplanation['seen']>('How often, and when, failures with this signature occurred', {
    in_run: orNull(count('Number of failures with this signature in this stage and run')),
    in_life: orNull(count('Number of failures with this signature in the life of the task')),
    first_seen: orNull(time('Time of the first failure with this signature')),
    last_seen: orNull(time('Time of the last failure with this signature')),
  }),
  decision: orNull(
    record<NonNullable<FailureExplanation['decision']>>('What the run did after the failure', {
      action: text('Action of the run, such as stop'),
      why: text('Reason for the action, as part of a sentence'),
    }),
    'no decision was made',
  ),
  retry: record<FailureExplanation['retry']>('The row of the class in the retry table', {
    first: one('Action at the first occurrence of the failure in a run', ['retry', 'retry_digest', 'stop']),
    again: one('Action at every further occurrence of the failure in a run', ['stop']),
    report: text('Advice in the report when the run stops'),
  }),
  retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
  findings: list('Findings of the gate', FINDING),
  next_actions: nextActions(),
});

interface Nothing {
  schema: 1;
  task_id: string;
  of: 'nothing';
  message: string;
}

const nothing = record<Nothing>('Output of tollgate explain --json if there is nothing to explain', {
  schema: version,
  task_id: text('Id of the task'),
  of: is('nothing', 'Constant that shows that there is no failure'),
  message: text('Why there is no failure to explain, and how to continue if the task has not ended'),
});

export const EXPLANATION: Schema = { description: 'Output of tollgate explain --json', anyOf: [explained, nothing] };
