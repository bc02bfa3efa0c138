// The gate as a whole: every check is reached, in its order, and the record says what was looked at and found.

import { truncateSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { passGate } from '../../../loops/gate/gate.ts';
import { type Finding, GATE_CHECKS, type GateRecord } from '../../../policies/facts/gate-record.ts';
import { type Gated, openGated } from './gated.ts';

const test = suite('gate');
let gated: Gated;

test.before.each(() => {
  gated = openGated();
});
test.after.each(() => gated.dispose());

const CHANGES = { changesTree: true };
const GOOD = '## Findings\nnone\n## Verdict\npass\n';
const SCOPE: Finding = {
  check: 'scope',
  class: 'scope_violation',
  reason: 'out_of_scope',
  missing: ['x (added; scope.deny "x")'],
  text: '1 change is out of scope',
  next_actions: [],
};

type Asked = Parameters<Gated['ask']>[1];
const pass = (answer: string | null, given: Asked = {}) => passGate(gated.ask(answer, given));
const looks = ({ checks }: GateRecord) => checks.map(({ check, passed }) => `${check} ${passed ? 'passed' : 'failed'}`);

test('an answer that holds all it must passes, and the record says so', async () => {
  assert.equal(await pass(GOOD, { changes: [], acceptanceCommands: ['true'] }).then(withoutTimes), {
    schema: 1,
    stage: 'codex_verify',
    tool: 'codex',
    call_id: 'call-1',
    at: '2030-01-02T03:04:05.000Z',
    passed: true,
    checks: ['judge', 'scope', 'refusal', 'sections', 'lines', 'verdict', 'acceptance'].map((check) => ({
      check,
      passed: true,
    })),
    findings: [],
    verdict: 'PASS',
    changes: [],
    acceptance: [
      {
        command: 'true',
        ending: 'exited',
        exit_code: 0,
        signal: null,
        duration_ms: 0,
        output: `${gated.root}/task/t1/outputs/codex_verify.acceptance.log`,
      },
    ],
    restored: [],
    notes: [],
  });
});

const withoutTimes = (record: GateRecord): GateRecord => ({
  ...record,
  acceptance: record.acceptance.map((result) => ({ ...result, duration_ms: 0 })),
});

/** For each check an answer and a stage that it alone lets fall. */
const FAIL: Record<string, [answer: string, given: Asked, reason: string]> = {
  judge: [GOOD, { findings: [{ ...SCOPE, check: 'judge', reason: 'judge_changed' }] }, 'judge_changed'],
  scope: [GOOD, { findings: [SCOPE], changes: [{ path: 'x', how: 'added' }] }, 'out_of_scope'],
  refusal: ["I'm sorry, but I can't do that.", { stage: { requires: [], min_lines: 0 } }, 'refusal'],
  changes: [GOOD, { role: CHANGES, stage: { access: 'write' }, changes: [] }, 'no_change'],
  sections: [GOOD, { stage: { requires: ['Plan'] } }, 'missing_sections'],
  lines: [GOOD, { stage: { min_lines: 5 } }, 'too_short'],
  schema: ['{"a": "x"}', { stage: { schema: { properties: { a: { type: 'number' } } } } }, 'schema_mismatch'],
  diff: [GOOD, { stage: { diff: true } }, 'no_diff'],
  verdict: [GOOD.replace('pass', '**FAIL**'), {}, 'verdict_fail'],
  acceptance: [GOOD, { acceptanceCommands: ['exit 1'] }, 'acceptance_failed'],
};

for (const check of GATE_CHECKS)
  test(`the check ${check} is reached, and fails alone`, async () => {
    const [answer, given, reason] = FAIL[check]!;
    const record = await pass(answer, { acceptanceCommands: ['true'], ...given });
    assert.equal(
      record.findings.map((finding) => [finding.check, finding.reason]),
      [[check, reason]],
    );
    assert.equal(
      looks(record).filter((look) => look.endsWith('failed')),
      [`${check} failed`],
    );
    assert.is(record.passed, false);
    assert.equal(record.acceptance.length, check === 'acceptance' ? 1 : 0);
    if (check !== 'acceptance') assert.equal(record.notes, ['acceptance commands were not run: another check failed']);
  });

test('all that is found is told, in the order of the checks', async () => {
  const record = await pass('I cannot do that.', {
    role: CHANGES,
    changes: [],
    findings: [SCOPE],
    stage: { access: 'write', schema: {}, requires: ['Findings'], min_lines: 3, diff: true },
  });
  assert.equal(looks(record), [
    'judge passed',
    'scope failed',
    'refusal failed',
    'changes failed',
    'sections failed',
    'lines failed',
    'schema failed',
    'diff failed',
    'verdict passed',
  ]);
});

test('a tree that was not looked at', async () => {
  const record = await pass(GOOD, { role: CHANGES, stage: { access: 'write' }, changes: null });
  assert.equal(
    [record.changes, looks(record)],
    [null, ['judge passed', 'refusal passed', 'sections passed', 'lines passed', 'verdict passed']],
  );
});

test('what the stage says goes before its role', async () => {
  const none = await pass('fine', { stage: { requires: [], min_lines: 0 } });
  assert.equal([none.passed, looks(none)], [true, ['judge passed', 'refusal passed', 'verdict passed']]);
  const empty = await pass(GOOD, {
    role: CHANGES,
    changes: [],
    stage: { access: 'full', may_be_empty: true },
  });
  assert.is(empty.passed, true);
});

test('JSON that fits, and JSON that is none', async () => {
  const stage = { schema: { type: 'object', required: ['a'] } };
  const fits = await pass('```json\n{"a": 1, "verdict": "pass"}\n```', { stage });
  const checks = ['judge passed', 'refusal passed', 'schema passed', 'verdict passed'];
  assert.equal([fits.passed, fits.verdict, looks(fits)], [true, 'PASS', checks]);
  assert.equal((await pass(GOOD, { stage })).findings[0]?.reason, 'not_json');
});

test('an answer that is gone, and one that is longer than the gate looks at', async () => {
  const gone = await pass(null, { acceptanceCommands: ['true'] });
  assert.equal([gone.passed, looks(gone), gone.findings[0]?.reason], [false, ['judge failed'], 'answer_unreadable']);
  const asked = gated.ask(GOOD);
  truncateSync(asked.answerFile, 2 ** 30);
  const long = await passGate(asked);
  assert.equal(
    [long.passed, long.notes],
    [true, ['the answer has 1073741824 bytes; the gate looked at its first 4194304']],
  );
});

test('no secret stands in the record', async () => {
  const record = await pass("I'm sorry, but I can't use tok-verysecret.", { stage: { requires: ['tok-verysecret'] } });
  assert.is(record.findings.length, 3);
  assert.not.match(JSON.stringify(record), /tok-verysecret/);
});

test('a stop lets it end without a verdict', async () => {
  const stop = new AbortController();
  stop.abort();
  const record = await pass(GOOD, { acceptanceCommands: ['true'], stop: stop.signal });
  assert.equal([record.passed, record.findings, record.acceptance], [false, [], []]);
  assert.equal(record.notes, ['the gate was stopped before its check "acceptance" was through']);
  const diff = await pass(GOOD, { stage: { diff: true }, stop: stop.signal });
  assert.equal([diff.passed, diff.findings, looks(diff).at(-1)], [false, [], 'diff failed']);
});

test('what was due of the call alone is not looked at again', async () => {
  const { checks, passed } = await pass(GOOD, { changes: [], look: 'again' });
  assert.equal([checks.some(({ check }) => check === 'scope'), checks.length > 0, passed], [false, true, true]);
});

test.run();
