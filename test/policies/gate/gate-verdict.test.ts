// What findings amount to: the verdict and a signature that tells two failures apart.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../policies/facts/gate-record.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { gateSignature, gateVerdict } from '../../../policies/gate/gate-verdict.ts';

const SECTIONS: Finding = {
  check: 'sections',
  class: 'contract_violation',
  reason: 'missing_sections',
  missing: ['Findings', 'Verdict (empty)'],
  text: 'the answer lacks the sections "Findings", "Verdict (empty)"',
  next_actions: [toDo('name them')],
};
const SCOPE: Finding = {
  check: 'scope',
  class: 'scope_violation',
  reason: 'out_of_scope',
  missing: ['src/a.ts (modified; scope.deny "src/**")'],
  signed: ['scope.deny "src/**"'],
  text: '1 change is out of scope: src/a.ts (modified; scope.deny "src/**")',
  next_actions: [toDo('take it back')],
};
const REFUSAL: Finding = {
  ...SECTIONS,
  check: 'refusal',
  reason: 'refusal',
  missing: [],
  text: 'the answer is a refusal',
};

test('no finding is a success', () => {
  assert.equal(gateVerdict([]), { class: null, reason: null, evidence: null, retry_at: null });
});

test('the first finding counts, and what is out of scope before what is missing', () => {
  const rows: [findings: Finding[], verdict: string[]][] = [
    [[SECTIONS], ['contract_violation', 'missing_sections', 'gate-sections', SECTIONS.text]],
    [
      [REFUSAL, SECTIONS],
      ['contract_violation', 'refusal', 'gate-refusal', REFUSAL.text],
    ],
    [
      [SECTIONS, SCOPE],
      ['scope_violation', 'out_of_scope', 'gate-scope', SCOPE.text],
    ],
  ];
  for (const [findings, verdict] of rows) {
    const { class: errorClass, reason, evidence, retry_at } = gateVerdict(findings);
    assert.equal([errorClass, reason, evidence?.rule, evidence?.text], verdict);
    assert.equal([evidence?.source, retry_at], ['gate', null]);
  }
});

test('two different failures have two signatures', () => {
  const many = (last: string) => ({
    ...SECTIONS,
    missing: [...Array.from({ length: 200 }, (_, i) => `Section ${i}`), last],
  });
  const signatures = [
    gateSignature('codex', [SECTIONS]),
    gateSignature('gemini', [SECTIONS]),
    gateSignature('codex', [{ ...SECTIONS, missing: ['Findings'] }]),
    gateSignature('codex', [{ ...SECTIONS, missing: ['Findings', 'Verdict'] }]),
    gateSignature('codex', [{ ...SECTIONS, check: 'lines', reason: 'too_short' }]),
    gateSignature('codex', [SCOPE]),
    gateSignature('codex', [{ ...SCOPE, signed: ['scope.deny "test/**"'] }]),
    gateSignature('codex', [SCOPE, SECTIONS]),
    gateSignature('codex', [REFUSAL]),
    gateSignature('codex', [many('a')]),
    gateSignature('codex', [many('b')]),
  ];
  assert.is(new Set(signatures).size, signatures.length);
  for (const signature of signatures) assert.match(signature, /^v1:[0-9a-f]{64}$/);
});

test('two equal ones have one, in whatever words and order they are told', () => {
  const again = { ...SECTIONS, missing: [...SECTIONS.missing].reverse(), text: 'in other words', next_actions: [] };
  assert.is(gateSignature('codex', [again]), gateSignature('codex', [SECTIONS]));
  const elsewhere = { ...SCOPE, missing: ['src/b.ts (added; scope.deny "src/**")'] };
  assert.is(gateSignature('codex', [elsewhere]), gateSignature('codex', [SCOPE]));
});

test.run();
