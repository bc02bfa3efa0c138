// A manifest that is plain by the table read off the schema is sound by the schema, and says the same; all others are left to it.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completeManifest } from '../../../state/project/complete-manifest.ts';
import { MANIFEST } from '../../../state/project/manifest-schema.ts';
import { isPlain } from '../../../state/project/plain-manifest.ts';
import { shapeOf } from '../../../state/project/schema-shape.ts';
import { bundlesOf, countIn } from '../../rig/counted.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('plain manifests');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const SHAPE = shapeOf(MANIFEST);
const PART = { tool: 'codex', model: 'm', effort: 'low', access: 'read', timeout_ms: 9 };
const STAGE = {
  ...PART,
  role: 'impl',
  id: 'again',
  prompt: 'p.md',
  attach: ['a.md'],
  requires: ['Verdict'],
  min_lines: 0,
  on_fail: 'stop',
  start_timeout_ms: 0,
  max_turns: 3,
  may_be_empty: true,
  fallback: [{ tool: 'gemini', model: 'x' }],
  fallback_on: ['quota'],
};
const PLAIN = {
  $schema: './s.json',
  task_id: 'fix',
  goal: 'g',
  meta: { feature: 'x', session_id: '0123456' },
  cwd: 'src',
  pipeline: 'p',
  stages: [STAGE, { tool: 'codex', role: 'brief' }],
  supervise: { worker: PART, reasoner: PART, max_iterations: 3, stall_after: 1 },
  worktree: true,
  scope: { allow: [], deny: [], ignored: true },
  acceptance: { commands: ['true'], criteria: ['c'], timeout_ms: 5 },
  budgets: { paid_call_budget: 0, retry_budget: 1, nested_calls: 2, max_wallclock_sec: 3, max_tokens: 4 },
  context: { digest_policy: 'off' },
  security: { forbidden_paths: [], trust_workspace: true, env_allow: ['A'] },
};

/** What nobody means to write, and what somebody may. */
const ODD: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1,
    1.5,
    2e9,
    2 ** 53,
    1e21,
    '',
    ' ',
    '-x',
    'a',
    'A',
    '0',
    'low',
    'quota',
    'a\nb',
    'a\u0000',
    '\ud800',
  ],
  ...['x'.repeat(200), '../x', 'a/b', [], [[]], [''], ['a'], [null], {}, { a: 1 }, { tool: 'codex' }],
];

/** The manifest with something odd in each place, without what stands there, and with a name more. */
function* mutants(value: unknown): Generator<unknown> {
  yield* ODD;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield [...value, ...value];
    for (const [at, one] of value.entries()) for (const other of mutants(one)) yield value.with(at, other);
    return;
  }
  yield* ['no_such', 'toString', '__proto__'].map((name) =>
    JSON.parse(`{"${name}":1,${JSON.stringify(value).slice(1)}`),
  );
  for (const [name, one] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const other of mutants(one)) yield { ...value, [name]: other };
  }
}

test('whatever is plain, the schema takes and makes the same of', () => {
  assert.ok(isPlain(SHAPE, PLAIN));
  let plain = 0;
  let others = 0;
  for (const one of mutants(PLAIN)) {
    if (!isPlain(SHAPE, one)) {
      others += 1;
      continue;
    }
    plain += 1;
    const parsed = MANIFEST.safeParse(one);
    assert.ok(parsed.success, JSON.stringify(one));
    assert.equal(completeManifest(one as object), parsed.data);
  }
  assert.ok(plain > 200 && others > 2000, `${plain} plain, ${others} not`);
});

for (const [what, section] of [
  ['a glob', { scope: { allow: ['a/**'] } }],
  ['a pattern', { security: { redaction_patterns: ['x+'] } }],
  ['a sum of money', { budgets: { max_usd: 1.5 } }],
  ['a schema', { stages: [{ ...STAGE, schema: {} }] }],
] as const)
  test(`${what} is left to the schema`, () => {
    assert.not.ok(isPlain(SHAPE, { ...PLAIN, ...section }));
  });

const SCHEMA = 'lazy-state-project-manifest-schema.cjs';
const YAML = 'lazy-yaml-dist-index.cjs';

test('a plain manifest that is new is read without the schema; a mistake in it is told with its line', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief' }] });
  const counted = countIn(rig);
  const look = async () => {
    const { code, stderr } = await rig.start('tollgate', ['run', 'fix', '--dry-run']).result;
    return { code, stderr, asksSchema: bundlesOf(counted()[0]!).includes(SCHEMA) };
  };
  assert.equal(await look(), { code: 0, stderr: '', asksSchema: false });
  writeFileSync(path.join(task.folder, 'manifest.json'), '{"task_id": "fix",\n"goal": "g",\n"stages": 3}\n');
  const { code, stderr, asksSchema } = await look();
  assert.equal([code, asksSchema], [2, true]);
  assert.match(stderr, /manifest\.json:3: stages must be/);
});

test('a plain one in YAML needs no schema either', async ({ rig }) => {
  const task = path.join(rig.project, '.tmp/task/fix');
  mkdirSync(task, { recursive: true });
  writeFileSync(
    path.join(task, 'manifest.yaml'),
    'task_id: fix\ngoal: g # why\nstages: [{tool: codex, role: brief}]\n',
  );
  const counted = countIn(rig);
  const { code, stdout } = await rig.start('tollgate', ['run', 'fix', '--dry-run', '--json']).result;
  assert.equal([code, JSON.parse(stdout).task_id], [0, 'fix']);
  assert.equal(
    bundlesOf(counted()[0]!).filter((name) => [SCHEMA, YAML].includes(name)),
    [YAML],
  );
});

test.run();
