// tollgate triage in a project: its own rows are tried first, and --lint says what is wrong with them.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RULES } from '../../../../policies/rules/rules.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate triage --lint');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const lint = (rig: TestRig, argv: string[] = [], cwd = rig.project) =>
  rig.run('tollgate', ['triage', '--lint', ...argv], { cwd });
const BUILT_IN = `${RULES.length} built-in rows`;

const PROXY =
  '    - {id: corp-proxy, match: {text: corporate proxy}, class: tooling, reason: proxy, proof: [the corporate proxy]}\n';
const SHADOWED =
  '    - {id: corp-down, match: {text: proxy is down}, class: auth, reason: down, proof: [the corporate proxy is down]}\n';
const TAKER =
  '    - {id: stopped, match: {text: turn interrupted}, class: tooling, reason: stopped, proof: [turn interrupted]}\n';
const rows = (...all: string[]) => `triage:\n  rules:\n${all.join('')}`;

const RUNS: [what: string, file: string | null, exit: number, out: string][] = [
  ['no tollgate.yaml', null, 0, `0 rows of tollgate.yaml, ${BUILT_IN}: 0 errors, 0 warnings.\n`],
  ['an empty one', '{}\n', 0, `0 rows of tollgate.yaml, ${BUILT_IN}: 0 errors, 0 warnings.\n`],
  ['a row that is right', rows(PROXY), 0, `1 row of tollgate.yaml, ${BUILT_IN}: 0 errors, 0 warnings.\n`],
  [
    'a warning',
    rows(PROXY, TAKER),
    0,
    `tollgate.yaml:4: warning: the row "stopped" takes over what the built-in row "stop-interrupted" is there for, so that transient (interrupted) becomes tooling (stopped); if that is not meant, let it ask for more
2 rows of tollgate.yaml, ${BUILT_IN}: 0 errors, 1 warning.\n`,
  ],
  [
    'an error',
    rows(PROXY, SHADOWED),
    1,
    `tollgate.yaml:4: error: the row "corp-down" decides none of its proofs, for the row "corp-proxy" before it does; put it before that one, or let that one ask for more
2 rows of tollgate.yaml, ${BUILT_IN}: 1 error, 0 warnings.\n`,
  ],
  [
    'mistakes of its shape',
    rows(PROXY, PROXY, '    - {id: x, match: {}, clas: auth, class: auht, reason: r}\n'),
    1,
    `tollgate.yaml:5: error: triage.rules[2].match asks for nothing, and so would decide everything; give it status, code, text, wait or exit
tollgate.yaml:5: error: triage.rules[2].class must be one of transient, prompt_too_large, auth, quota, tooling, scope_violation, contract_violation, unknown
tollgate.yaml:5: error: triage.rules[2].clas is unknown; did you mean class?
The rows were not looked at: 3 errors, 0 warnings.\n`,
  ],
  [
    'an id that is there twice',
    rows(PROXY, PROXY),
    1,
    `tollgate.yaml:4: error: triage.rules[1].id is that of triage.rules[0] too; give it its own
The rows were not looked at: 1 error, 0 warnings.\n`,
  ],
];
for (const [what, file, exit, out] of RUNS)
  test(what, async ({ rig }) => {
    if (file !== null) rig.write('tollgate.yaml', file);
    const { code, stdout, stderr } = await lint(rig);
    assert.equal([code, stdout, stderr], [exit, out, '']);
  });

test('from a folder below, the file is named as it is reached from there', async ({ rig }) => {
  rig.write('tollgate.yaml', rows(PROXY, SHADOWED));
  rig.write('src/a.ts', '');
  const { code, stdout } = await lint(rig, [], path.join(rig.project, 'src'));
  assert.is(code, 1);
  assert.ok(stdout.startsWith('../tollgate.yaml:4: error: '), stdout);
});

test('--json has the same as fields', async ({ rig }) => {
  rig.write('tollgate.yaml', rows(PROXY, SHADOWED));
  const { code, stdout } = await lint(rig, ['--json']);
  const { findings, ...counts } = JSON.parse(stdout);
  assert.equal([code, counts], [1, { schema: 1, own: 2, built_in: RULES.length, errors: 1, warnings: 0 }]);
  const [{ message, ...fields }] = findings;
  assert.equal(fields, {
    level: 'error',
    fact: 'shadowed',
    row: 'corp-down',
    of: 'project',
    file: 'tollgate.yaml',
    line: 4,
  });
  assert.match(message, 'the row "corp-down" decides none of its proofs');
  rig.write('tollgate.yaml', 'triage: {rules: 3}\n');
  const unfit = await lint(rig, ['--json']);
  assert.equal(
    [unfit.code, JSON.parse(unfit.stdout)],
    [
      1,
      {
        schema: 1,
        own: null,
        built_in: RULES.length,
        errors: 1,
        warnings: 0,
        findings: [
          {
            level: 'error',
            fact: 'unfit',
            row: null,
            of: 'project',
            file: 'tollgate.yaml',
            line: 1,
            message: 'triage.rules must be array, not number',
          },
        ],
      },
    ],
  );
});

const REFUSED: [what: string, file: string, argv: string[], said: RegExp][] = [
  ['a file that is no YAML', 'triage: {rules: [\n', [], /^tollgate triage: .+tollgate\.yaml:\d: /],
  ['a word', '{}\n', ['err.txt'], /^tollgate triage: --lint looks at rows alone; leave err\.txt out\n$/],
  ['another flag', '{}\n', ['--jsonl'], /^tollgate triage: --lint looks at rows alone; leave --jsonl out\n$/],
];
for (const [what, file, argv, said] of REFUSED)
  test(`${what}: exit 2`, async ({ rig }) => {
    rig.write('tollgate.yaml', file);
    const { code, stdout, stderr } = await lint(rig, argv);
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, said);
  });

const SAID = 'ERROR: unexpected status 503: the corporate proxy says no\n';
const triage = (rig: TestRig, argv: string[], stdin: string) => rig.run('tollgate', ['triage', ...argv], { stdin });

test('triage tries them first, and says whose row it was', async ({ rig }) => {
  const explained = async () => (await triage(rig, ['--tool=codex', '--explain'], SAID)).stdout;
  assert.match(await explained(), /^transient \(overloaded\)\n[\s\S]*^rule: service-overloaded$/m);
  rig.write('tollgate.yaml', rows(PROXY));
  assert.match(
    await explained(),
    /^tooling \(proxy\)\n[\s\S]*^rule: corp-proxy \(the project's own, of tollgate\.yaml\)$/m,
  );
  const line = JSON.stringify({ id: 1, tool: 'gemini', stderr: 'Error: the corporate proxy' });
  const { stdout } = await triage(rig, ['--jsonl'], `${line}\n`);
  assert.is(JSON.parse(stdout).verdict.evidence.rule, 'corp-proxy');
});

test('a corpus too is judged by them', async ({ rig }) => {
  const labelled = { id: 'corp-one', tool: 'codex', at: '2026-11-21T21:00:00.000Z', exit_code: 1, stderr: SAID };
  rig.write('cases.jsonl', `${JSON.stringify({ ...labelled, class: 'tooling', reason: 'proxy' })}\n`);
  const judged = async () => (await triage(rig, ['--test', 'cases.jsonl'], '')).code;
  assert.is(await judged(), 1);
  rig.write('tollgate.yaml', rows(PROXY));
  assert.is(await judged(), 0);
});

test('triage gives no verdict where it cannot tell by which rows', async ({ rig }) => {
  rig.write('tollgate.yaml', rows('    - {id: x}\n'));
  const { code, stdout, stderr } = await triage(rig, ['--tool=codex'], SAID);
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, 'tollgate.yaml:3: triage.rules[0].match is missing; expected object');
});

test.run();
