// A manifest that was found sound is read without the schema the next time, to the very same; and nothing of it is kept.

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LineCounter, parseDocument } from 'yaml';
import { completeManifest } from '../../../state/project/complete-manifest.ts';
import { hasIn, lineInJson, repeatsName } from '../../../state/project/json-line.ts';
import { MANIFEST } from '../../../state/project/manifest-schema.ts';
import { lineOf } from '../../../state/project/yaml-line.ts';
import { bundlesOf, countIn } from '../../rig/counted.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('sound files');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGE = { tool: 'codex', role: 'impl' };
const PART = { tool: 'codex' };
const BASE = { task_id: 'fix', goal: 'g' };
const SOUND: object[] = [
  BASE,
  { ...BASE, stages: [STAGE, { ...STAGE, id: 'again', timeout_ms: 5, may_be_empty: true, fallback: [PART] }] },
  { ...BASE, stages: [{ ...STAGE, schema: { type: 'object', required: ['a'] }, diff: { since: 'start' } }] },
  { ...BASE, supervise: { worker: PART, reasoner: { ...PART, timeout_ms: 9, access: 'read' } } },
  { ...BASE, supervise: { worker: PART, reasoner: PART, max_iterations: 3, stall_after: 1 } },
  { ...BASE, meta: { feature: 'x' }, worktree: true, cwd: 'src', pipeline: 'p', $schema: './s.json' },
  ...Object.entries({
    scope: { allow: ['a/**'] },
    acceptance: { commands: ['true'] },
    budgets: { paid_call_budget: 0, max_usd: 1.5 },
    context: { digest_policy: 'off' },
    security: { redaction_patterns: ['x+'], env_allow: ['A'] },
  }).flatMap(([section, said]) => [
    { ...BASE, [section]: {} },
    { ...BASE, [section]: said },
  ]),
];

for (const given of SOUND)
  test(`the schema would make the same of ${JSON.stringify(given)}`, () => {
    assert.equal(completeManifest(given), MANIFEST.parse(given));
  });

const LINES = { ...BASE, 'an "odd": {name}': [[1, { deep: '}\\"' }], {}], stages: [STAGE, { ...STAGE, id: 'b' }] };

for (const indent of [0, 2])
  test(`a field stands on the line that YAML says, indented by ${indent}`, () => {
    const text = `\n${JSON.stringify(LINES, null, indent)}\n`;
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    const paths = [...pathsOf(LINES), ['stages', 1, 'model'], ['scope'], ['stages', 7], ['goal', 'x'], []];
    for (const at of paths) {
      assert.is(lineInJson(text, at), lineOf(at, document, lines), at.join('.'));
      assert.is(hasIn(LINES, at), at.length === 0 || document.hasIn(at), at.join('.'));
    }
  });

for (const [text, repeats] of [
  ['{"a": {"b": 1}, "b": [{"b": 2}, {"b": 3}]}', false],
  ['{"a": ["a", "a"], "b": {"a": "b"}}', false],
  ['{"a": "b\\": 1, \\"b", "b": 1}', false],
  ['{"a": 1, "b": {"c": []}, "a": 2}', true],
  ['{"a": [{"b": 1, "\\u0062": 2}]}', true],
] as const)
  test(`${text} ${repeats ? 'repeats a name, as' : 'repeats no name, and says the same to'} YAML`, () => {
    assert.is(repeatsName(text), repeats);
    const document = parseDocument(text, { uniqueKeys: true });
    assert.is(document.errors.length > 0, repeats);
    if (!repeats) assert.equal(document.toJS(), JSON.parse(text));
  });

function pathsOf(value: unknown, at: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value !== 'object' || value === null) return [at];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [at, ...keys.flatMap((key) => pathsOf((value as Record<PropertyKey, unknown>)[key], [...at, key]))];
}

const SECRET = 'hunter2-is-the-password-of-nobody';
/** Only the schema knows whether a pattern is one. */
const DONE = { stages: [{ ...STAGE, role: 'brief', ...ANY_ANSWER }], security: { redaction_patterns: ['n[o]-such'] } };
const SCHEMA = 'lazy-state-project-manifest-schema.cjs';
const YAML = 'lazy-yaml-dist-index.cjs';

/** A task that is done, the bundles that its next run loads, and the file of what was found sound. */
async function doneTask(rig: TestRig) {
  const task = makeTask(rig, { ...DONE, goal: `Say ${SECRET}.` });
  const first = task.start();
  await (await rig.call()).tell(...answerWith('codex', 'ok'));
  assert.is((await first.result).code, 0);
  const counted = countIn(rig);
  const again = async () => {
    assert.is((await task.start().result).code, 0);
    const [run, ...others] = counted();
    assert.equal(others, []);
    return bundlesOf(run!).filter((name) => [SCHEMA, YAML].includes(name));
  };
  const marks = path.join(
    rig.env.XDG_STATE_HOME ?? path.join(rig.env.HOME!, '.local/state'),
    'tollgate/sound-manifests',
  );
  return { task, again, marks };
}

test('a manifest that a run has seen needs neither schema nor YAML; what is kept of it is a hash, for its user alone', async ({
  rig,
}) => {
  const { task, again, marks } = await doneTask(rig);
  assert.equal(await again(), []);
  assert.match(readFileSync(marks, 'utf8'), /^[0-9a-f]{64}\n$/);
  assert.is(statSync(marks).mode & 0o777, 0o600);
  const manifest = path.join(task.folder, 'manifest.json');
  writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}\n`);
  assert.equal(await again(), [SCHEMA]);
  assert.equal(await again(), []);
});

test('what others could have written, or another version has, says nothing', async ({ rig }) => {
  const { again, marks } = await doneTask(rig);
  chmodSync(marks, 0o622);
  assert.equal(await again(), [SCHEMA]);
  // It is not gone on with: a new one stands in its place.
  assert.is(statSync(marks).mode & 0o777, 0o600);
  assert.equal(await again(), []);
  writeFileSync(
    marks,
    readFileSync(marks, 'utf8').replace(/^./gm, (digit) => (digit === '0' ? '1' : '0')),
  );
  assert.equal(await again(), [SCHEMA]);
  writeFileSync(marks, `${'x'.repeat(600 * 1024)}\n`);
  assert.equal(await again(), [SCHEMA]);
});

test('a manifest in YAML is parsed as that, without the schema', async ({ rig }) => {
  const task = path.join(rig.project, '.tmp/task/slow');
  mkdirSync(task, { recursive: true });
  writeFileSync(
    path.join(task, 'manifest.yaml'),
    'task_id: slow\ngoal: g # why\nstages: [{tool: codex, role: brief, min_lines: 0, requires: []}]\n',
  );
  const first = rig.start('tollgate', ['run', 'slow']);
  await (await rig.call()).tell(...answerWith('codex', 'ok'));
  assert.is((await first.result).code, 0);
  const counted = countIn(rig);
  assert.is((await rig.start('tollgate', ['run', 'slow']).result).code, 0);
  assert.equal(
    bundlesOf(counted()[0]!).filter((name) => [SCHEMA, YAML].includes(name)),
    [YAML],
  );
});

test('who only looks notes nothing; a mistake is told as ever, with its line', async ({ rig }) => {
  const task = makeTask(rig, DONE);
  const counted = countIn(rig);
  assert.is((await rig.start('tollgate', ['run', 'fix', '--dry-run']).result).code, 0);
  assert.is((await rig.start('tollgate', ['run', 'fix', '--dry-run']).result).code, 0);
  for (const run of counted()) assert.ok(bundlesOf(run).includes(SCHEMA));
  writeFileSync(path.join(task.folder, 'manifest.json'), '{"task_id": "fix",\n"goal": "g",\n"stages": 3}\n');
  const { code, stderr } = await task.start().result;
  assert.is(code, 2);
  assert.match(stderr, /manifest\.json:3: stages must be/);
});

test.run();
