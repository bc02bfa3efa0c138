// Defines the schema of what a gate found.

import {
  type AcceptanceResult,
  type Change,
  type Finding,
  GATE_CHECKS,
  type GateRecord,
} from '../../../policies/facts/gate-record.ts';
import { amount, flag, list, nextActions, one, orNull, record, text, texts, time, version, whole } from './parts.ts';

const check = one('Which check', GATE_CHECKS);

const change = record<Change>(
  'One path that is not what it was before the stage',
  {
    path: text("From the tree's root"),
    how: one('What became of it', ['added', 'deleted', 'modified', 'mode', 'type', 'renamed', 'commit']),
    from: text('Where it was before, of a rename'),
  },
  ['from'],
);

export const FINDING = record<Finding>(
  'One finding',
  {
    check,
    class: one('What kind of failure', ['contract_violation', 'scope_violation']),
    reason: text('One word for machines, such as missing_sections'),
    missing: texts('By name: sections, paths with their glob, commands'),
    text: text('One sentence'),
    next_actions: nextActions(),
    signed: texts('What the signature is made of, where names vary between runs'),
  },
  ['signed'],
);

export const GATE = record<GateRecord>('What the gate of a stage looked at, and what it found', {
  schema: version,
  stage: text('The stage'),
  tool: text('Which CLI'),
  call_id: text('The call whose answer was looked at'),
  at: time('When'),
  passed: flag('Whether nothing was found'),
  checks: list(
    'What was looked at, in order',
    record<GateRecord['checks'][number]>('One check', { check, passed: flag('Whether it found nothing') }),
  ),
  findings: list('What is missing or out of bounds', FINDING),
  verdict: orNull(one("What the answer's section Verdict says", ['PASS', 'FAIL']), 'it says neither'),
  changes: orNull(list('What the stage changed in the tree', change), 'the tree was not looked at'),
  acceptance: list(
    'The commands that were run',
    record<AcceptanceResult>('One command', {
      command: text('As the manifest has it'),
      ending: text('How it ended'),
      exit_code: orNull(whole('Its exit code'), 'it ended otherwise'),
      signal: orNull(text('The signal that ended it'), 'none did'),
      duration_ms: orNull(amount('How long it ran, in milliseconds')),
      output: text('The file with its output, redacted'),
    }),
  ),
  restored: list(
    'Paths that were put back as they were',
    record<GateRecord['restored'][number]>('One path', {
      path: text("From the tree's root"),
      kept_in: orNull(text('Where the earlier content is kept'), 'there was none'),
    }),
  ),
  notes: texts('What else is worth knowing'),
});
