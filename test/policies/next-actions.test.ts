// What is to be done next, by class and reason: whole lists, each with a line to type.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorClass } from '../../policies/classes.ts';
import { nextActions } from '../../policies/next-actions.ts';

const AT = '2026-01-02T03:00:00.000Z';

const ROWS: [errorClass: ErrorClass, reason: string, retryAt: string | null, next: string[]][] = [
  ['transient', 'server_error', null, ['tollgate run fix']],
  ['transient', 'rate_limit', AT, [`tollgate run fix (not before ${AT})`]],
  [
    'prompt_too_large',
    'over_limit',
    null,
    ['attach less, or split the task into smaller ones', 'then: tollgate run fix'],
  ],
  ['auth', 'access', null, ['codex login', 'preflight --tools codex', 'tollgate run fix']],
  ['quota', 'plan', null, ['tollgate run fix', 'or use another tool than codex, or raise the plan']],
  [
    'quota',
    'plan',
    AT,
    [
      `tollgate run fix (not before ${AT})`,
      'or let it wait: tollgate run fix --wait-for-reset MAX',
      'or use another tool than codex, or raise the plan',
    ],
  ],
  ['quota', 'budget', null, ['tollgate budget fix --set N', 'tollgate run fix']],
  ['tooling', 'missing_binary', null, ['preflight --tools codex', 'tollgate run fix']],
  [
    'contract_violation',
    'max_turns',
    null,
    ['fix the prompt, or split the task into smaller ones', 'then: tollgate run fix'],
  ],
  ['unknown', 'no_rule', null, ['read `last_failure.json`', 'tollgate run fix']],
];
for (const [errorClass, reason, retry_at, next] of ROWS)
  test(`${errorClass} (${reason})${retry_at === null ? '' : ' with its reset'}`, () => {
    const verdict = { class: errorClass, reason, evidence: null, retry_at };
    assert.equal(nextActions({ verdict, taskId: 'fix', tool: 'codex' }), next);
  });

test.run();
