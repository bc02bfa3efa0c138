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
  description: 'The conditions of the row: status, code, wording, requested wait, exit',
  type: 'object',
  additionalProperties: true,
};

const explained = record<FailureExplanation>('A failure that is explained', {
  schema: version,
  task_id: text('The task'),
  of: one("The task's last failure, or a call's that is not", ['last_failure', 'call']),
  stage: orNull(text('The stage'), 'before any'),
  tool: orNull(tool, 'none was called'),
  call_id: orNull(text('The call'), 'it is of none'),
  at: time('When'),
  resolved_at: orNull(time('When the task succeeded after all'), 'it is not resolved'),
  sentence: text('What happened, in one sentence'),
  class: errorClass,
  meaning: text('What the class means'),
  reason: orNull(reason, 'none'),
  evidence: orNull(
    record<NonNullable<FailureExplanation['evidence']>>(
      'What the verdict is built on',
      {
        source: text('Where it was found'),
        text: text('The deciding text, secrets redacted'),
        limit,
      },
      ['limit'],
    ),
    'none',
  ),
  rule: orNull(
    record<Rule>('What matched', {
      id: text('Its name'),
      of: orNull(one('Whose it is', ['tollgate', 'project']), 'it no longer exists'),
      row: orNull(
        record<ShownRow>('The row', {
          kind: one('What it looks at', ['said', 'ending', 'leftover']),
          class: errorClass,
          reason,
          looks_for: orNull(
            record<Looks>('What it looks for', {
              tool: text('Of which CLI, or any'),
              source: text('Where, or any'),
              match,
            }),
            'nothing that is said',
          ),
        }),
        'none was needed',
      ),
    }),
    'no rule decided',
  ),
  signature: orNull(signature('Equal for one failure of two tasks'), 'it has none'),
  signed: orNull(
    record<NonNullable<FailureExplanation['signed']>>('The text from which the signature was made', {
      source: one('Which text was taken', ['stderr', 'event', 'detail']),
      normalised: text('The text without what is volatile'),
    }),
    'it cannot be made again',
  ),
  seen: record<FailureExplanation['seen']>('How often', {
    in_run: orNull(count('In this stage and run')),
    in_life: orNull(count('In the life of the task')),
    first_seen: orNull(time('When first')),
    last_seen: orNull(time('When last')),
  }),
  decision: orNull(
    record<NonNullable<FailureExplanation['decision']>>('What the run did about it', {
      action: text('What'),
      why: text('Why'),
    }),
    'none was made',
  ),
  retry: record<FailureExplanation['retry']>("The class's row of the retry table", {
    first: one('The first time', ['retry', 'retry_digest', 'stop']),
    again: one('Again', ['stop']),
    report: text('What the report says then'),
  }),
  retry_at: orNull(time('Before it, the service says, a call is in vain'), 'it did not say'),
  findings: list('What the gate found', FINDING),
  next_actions: nextActions(),
});

interface Nothing {
  schema: 1;
  task_id: string;
  of: 'nothing';
  message: string;
}

const nothing = record<Nothing>('There is nothing to explain', {
  schema: version,
  task_id: text('The task'),
  of: is('nothing', 'No failure'),
  message: text('Why there is nothing, in a sentence'),
});

export const EXPLANATION: Schema = { description: 'What tollgate explain --json prints', anyOf: [explained, nothing] };
