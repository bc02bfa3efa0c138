// A stage that gives a verdict and answers in JSON: the verdict is the property of that name, and decides as any other.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Forecast } from '../../loops/run/forecast.ts';
import { answerWith } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('schema-verdict');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const SCHEMA = { type: 'object', properties: { verdict: { type: 'string' }, findings: { type: 'array' } } };
const FINDINGS = [
  { severity: 'minor', path: 'src/a.ts', line: 3, message: 'a name misleads' },
  { severity: 'blocker', location: 'src/b.ts:7', text: 'data is lost' },
  'major: src/c.ts:9: an error is swallowed',
];

for (const [answer, verdict, role] of [
  ['{"verdict":"FAIL"}', 'FAIL', 'review'],
  ['{"verdict":"FAIL"}', 'FAIL', 'verify'],
  ['{"verdict":"PASS"}', 'PASS', 'review'],
  ['{"verdict":"maybe"}', null, 'review'],
  ['{"verdict":"maybe"}', null, 'verify'],
] as const)
  test(`${answer} of a ${role}`, async ({ rig }) => {
    rig.answer(() => answerWith('codex', answer));
    const task = makeTask(rig, { stages: [{ tool: 'codex', role, schema: SCHEMA }] });
    const { code, report, summary } = await task.run('--fail-on-verdict');
    const isGood = verdict === 'PASS';
    assert.equal([code, report.stages[0]!.verdict], [isGood ? 0 : 1, verdict]);
    if (isGood) return;
    assert.is(report.failure?.reason, verdict === 'FAIL' ? 'verdict_fail' : 'verdict_missing');
    assert.is(report.stages[0]!.state, role === 'verify' ? 'failed' : 'done');
    if (verdict === null) assert.match(summary, 'property "verdict"');
    // The verdict of a review is reported without the flag, too, and by each later run; nothing is paid again.
    const later = await task.run();
    assert.equal([later.code, later.report.stages[0]!.verdict], [role === 'verify' ? 1 : 0, verdict]);
    if (role === 'review' && verdict === 'FAIL') assert.match(later.summary, 'codex_review: its verdict is FAIL');
    assert.is(rig.calls.length, 1);
  });

/** Each of the levels doubles the looks. */
const DOUBLED = Object.fromEntries(
  Array.from({ length: 45 }, (_, i) => [`a${i}`, { allOf: Array(2).fill({ $ref: `#/$defs/a${i + 1}` }) }]),
);
for (const [what, schema] of [
  ['a pattern', { properties: { verdict: { type: 'string', pattern: '^(?:[A-Z]*){400}#' } } }],
  ['references', { $defs: DOUBLED, properties: { verdict: { $ref: '#/$defs/a0' } } }],
] as const)
  test(`${what} that would be checked for ever: nothing is paid, and the message says where`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', schema: { type: 'object', ...schema } }] });
    const { code, said } = await task.run();
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(said, /stages\[0\]\.schema takes too long to check for a verdict/);
  });

test('on_fail decides for an answer in JSON, too; a later change of it looks at the paid answer', async ({ rig }) => {
  rig.answer(() => answerWith('codex', '{"verdict":"FAIL"}'));
  const stage = { tool: 'codex', role: 'review', schema: SCHEMA };
  const task = makeTask(rig, { stages: [{ ...stage, on_fail: 'note' }] });
  assert.is((await task.run()).code, 0);
  rig.write('.tmp/task/fix/manifest.json', task.read('manifest.json').replace('"note"', '"stop"'));
  const { code, report } = await task.run();
  assert.equal([code, report.failure?.reason, rig.calls.length], [1, 'verdict_fail', 1]);
});

test('an answer off its schema is reported once', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'no JSON'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'verify', schema: SCHEMA }] });
  const { report } = await task.run();
  assert.equal([report.failure?.reason, report.failure?.missing], ['not_json', ['one JSON value']]);
});

test('the findings of an answer in JSON are in the report, each with its own severity', async ({ rig }) => {
  rig.answer(() => answerWith('codex', JSON.stringify({ verdict: 'PASS', findings: FINDINGS })));
  await makeTask(rig, { stages: [{ tool: 'codex', role: 'review', schema: SCHEMA }] }).run();
  const { stdout } = await rig.run('tollgate', ['report', '--format=gitlab']);
  const entries = JSON.parse(stdout) as { check_name: string; severity: string; location: unknown }[];
  assert.equal(
    entries.map(({ check_name, severity, location }) => [check_name, severity, location]),
    [
      ['review/blocker', 'critical', { path: 'src/b.ts', lines: { begin: 7 } }],
      ['review/major', 'critical', { path: 'src/c.ts', lines: { begin: 9 } }],
      ['review/minor', 'minor', { path: 'src/a.ts', lines: { begin: 3 } }],
    ],
  );
});

test('the prompt asks for JSON alone, in the words of the role', async ({ rig }) => {
  for (const role of ['review', 'verify', 'static_verify', 'review_consolidate'] as const) {
    makeTask(rig, { stages: [{ tool: 'codex', role, schema: SCHEMA }] }, role);
    const { stdout } = await rig.run('tollgate', ['run', role, '--dry-run', '--show-prompt', '--json']);
    const prompt = (JSON.parse(stdout) as Forecast).stages[0]!.prompt!.text!;
    assert.not.match(prompt, /Markdown heading|`## /);
    assert.match(prompt, 'Its property `verdict` is PASS or FAIL');
    assert.match(prompt, 'Answer with one JSON value');
  }
});

const REFUSED: Record<string, [stage: object, where: RegExp, said: RegExp]> = {
  'a schema without a verdict': [
    { role: 'review', schema: { type: 'object' } },
    /manifest\.yaml:8: stages\[0\]\.schema has no property "verdict"/,
    /expected an object with the property "verdict" that allows "PASS" and "FAIL"/,
  ],
  'a prompt of its own': [
    { role: 'verify', prompt: 'p.md', schema: { type: 'object' } },
    /manifest\.yaml:9: stages\[0\]\.schema has no property/,
    /expected/,
  ],
  'a role of its own that stops': [
    { role: 'brief', on_fail: 'stop', schema: { properties: { plan: {} } } },
    /manifest\.yaml:9: stages\[0\]\.schema has no property/,
    /expected/,
  ],
  'a verdict that is never FAIL': [
    { role: 'verify', schema: { properties: { verdict: { enum: ['PASS', 'OK'] } } } },
    /manifest\.yaml:10: stages\[0\]\.schema\.properties\.verdict allows no FAIL/,
    /expected/,
  ],
  'sections beside a schema': [
    { role: 'brief', requires: ['Plan'], schema: { type: 'object' } },
    /manifest\.yaml:7: stages\[0\]\.requires contradicts the schema of stage codex_brief/,
    /expected one of requires and schema/,
  ],
};

const yaml = (value: unknown, indent: string): string =>
  Object.entries(value as object)
    .map(([key, one]) =>
      typeof one === 'object' && !Array.isArray(one) && Object.keys(one as object).length > 0
        ? `${indent}${key}:\n${yaml(one, `${indent}  `)}`
        : `${indent}${key}: ${JSON.stringify(one)}\n`,
    )
    .join('');

for (const [what, [stage, where, said]] of Object.entries(REFUSED))
  test(`${what} is refused when the manifest is loaded`, async ({ rig }) => {
    const head = 'task_id: fix\ngoal: Find out.\n\nstages:\n  - tool: codex\n';
    rig.write('.tmp/task/fix/manifest.yaml', `${head}${yaml(stage, '    ')}`);
    rig.write('.tmp/task/fix/p.md', 'Look.\n');
    const { code, stderr } = await rig.run('tollgate', ['run', 'fix']);
    assert.match(stderr, where);
    assert.match(stderr, said);
    assert.equal([code, rig.calls.length], [2, 0]);
  });

test('a role of tollgate.yaml that must give a verdict needs one in its schema', async ({ rig }) => {
  rig.write('tollgate.yaml', 'roles:\n  audit: {template: a.md, requires: [Verdict]}\n');
  rig.write('a.md', 'Audit.\n');
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'audit', schema: { type: 'object' } }] });
  const { code, said } = await task.run('--trust-workspace');
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, 'stages[0].schema has no property "verdict"');
});

test.run();
