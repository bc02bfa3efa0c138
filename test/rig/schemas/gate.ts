// Defines the schema of what a gate found.

import {
  type AcceptanceResult,
  type Change,
  type Finding,
  GATE_CHECKS,
  type GateRecord,
} from '../../../policies/facts/gate-record.ts';
import { amount, flag, list, nextActions, one, orNull, record, text, texts, time, version, whole } from './parts.ts';

const check = one('Name of the check', GATE_CHECKS);

const change = record<Change>(
  'One path that the stage changed',
  {
    path: text('Path relative to the root of the tree'),
    how: one('Kind of change; type: another kind of file; commit: another commit of a nested repository', [
      'added',
      'deleted',
      'modified',
      'mode',
      'type',
      'renamed',
      'commit',
    ]),
    from: text('Earlier path of a renamed file; absent for other changes'),
  },
  ['from'],
);

export const FINDING = record<Finding>(
  'One finding of the gate',
  {
    check,
    class: one('Class of the failure', ['contract_violation', 'scope_violation']),
    reason: text('Reason of the finding, as one word such as missing_sections'),
    missing: texts('Names of what is missing or out of scope: sections, paths with their glob, commands'),
    text: text('Description of the finding, in one sentence'),
    next_actions: nextActions(),
    signed: texts(
      'Text that the signature is computed from, if the names in `missing` vary between runs; otherwise absent',
    ),
  },
  ['signed'],
);

export const GATE = record<GateRecord>('Record of the gate of a stage: its checks and what they found', {
  schema: version,
  stage: text('Name of the stage'),
  tool: text('Name of the CLI'),
  call_id: text('Id of the call whose answer was checked'),
  at: time('Time of the check'),
  passed: flag('Whether every check of the gate passed'),
  checks: list(
    'Checks that were done, in order',
    record<GateRecord['checks'][number]>('One check of the gate', { check, passed: flag('Whether the check passed') }),
  ),
  findings: list('Findings about what is missing or out of scope', FINDING),
  verdict: orNull(
    one('Verdict in the section Verdict of the answer', ['PASS', 'FAIL']),
    'there is none, or it was not read',
  ),
  changes: orNull(list('Changes of the stage in the tree', change), 'the tree was not checked'),
  acceptance: list(
    'Acceptance commands that were run',
    record<AcceptanceResult>('One acceptance command', {
      command: text('Text of the command, as in the manifest'),
      ending: text('How the command ended'),
      exit_code: orNull(whole('Exit code of the command'), 'the command did not exit with a code'),
      signal: orNull(text('Name of the signal that ended the command'), 'no signal ended it'),
      duration_ms: orNull(amount('Duration of the command, in milliseconds')),
      output: text('Path of the file with the output of the command, with secrets redacted'),
    }),
  ),
  restored: list(
    'Paths that were restored to their earlier state',
    record<GateRecord['restored'][number]>('One restored path', {
      path: text('Path relative to the root of the tree'),
      kept_in: orNull(text('Path where the replaced content is kept'), 'nothing was replaced'),
    }),
  ),
  notes: texts('Further remarks of the gate'),
});
