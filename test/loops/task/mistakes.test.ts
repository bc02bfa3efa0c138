// What is wrong with a manifest is told at once, and a CLI that is described wrongly is out of the question by itself.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('mistakes');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };

async function told(rig: TestRig, manifest: object, id = 'fix'): Promise<string[]> {
  makeTask(rig, manifest, id);
  const { code, stderr } = await rig.run('tollgate', ['run', id]);
  assert.equal([code, rig.calls.length], [2, 0], stderr);
  return stderr
    .replaceAll(/\S*\/manifest\.json/g, 'M')
    .trimEnd()
    .split('\n');
}

test('unknown CLIs, stand-ins, roles, and names that stand twice', async ({ rig }) => {
  const lines = await told(rig, {
    stages: [
      { ...REVIEW, tool: 'codx' },
      { ...REVIEW, fallback: [{ tool: 'gemni' }] },
      REVIEW,
      { ...REVIEW, id: 'a', role: 'reviw' },
    ],
  });
  assert.equal(lines.length, 3, lines.join('\n'));
  assert.match(lines[0]!, /M:1: stages\[0\]\.tool must be one of .*; did you mean codex\?/);
  assert.match(lines[1]!, /M:1: stages\[1\]\.fallback\[0\]\.tool must be one of .*; did you mean gemini\?/);
  assert.match(lines[2]!, 'two stages are called "codex_review"');
  const roles = await told(
    rig,
    {
      stages: [
        { ...REVIEW, tool: 'codx' },
        { ...REVIEW, id: 'a', role: 'reviw' },
      ],
    },
    'roles',
  );
  assert.equal(roles.length, 2, roles.join('\n'));
  assert.match(roles.join('\n'), /stages\[0\]\.tool must be[\s\S]*reviw/);
});

test('what the schema refuses, and the CLIs beside it', async ({ rig }) => {
  const lines = await told(rig, { golas: 'x', stages: [{ ...REVIEW, tool: 'codx', timeot_ms: 1 }, { role: 7 }] });
  assert.match(lines.join('\n'), /golas is unknown/);
  assert.match(lines.join('\n'), /stages\[0\]\.timeot_ms is unknown; did you mean timeout_ms/);
  assert.match(lines.join('\n'), /stages\[0\]\.tool must be one of .*; did you mean codex\?/);
  assert.match(lines.join('\n'), /stages\[1\]\.role must be string/);
});

test('what the schema refuses, and ids, pipelines, roles and names beside it', async ({ rig }) => {
  const stages = [REVIEW, { ...REVIEW, min_lines: 'x' }, { ...REVIEW, id: 'a', role: 'reviw' }];
  const listed = await told(rig, { task_id: 'fox', stages });
  assert.equal(
    listed.map(
      (line) => /min_lines|task_id is "fox"|two stages are called "codex_review"|did you mean "review"/.exec(line)?.[0],
    ),
    ['min_lines', 'task_id is "fox"', 'did you mean "review"', 'two stages are called "codex_review"'],
  );
  const named = await told(rig, { gaol: 'x', pipeline: 'safe_imp' }, 'named');
  assert.match(named.join('\n'), /gaol is unknown.*\n.*there is no pipeline "safe_imp"; did you mean safe_impl\?/);
});

test('of many lines of YAML that are wrong it says how many it leaves out', async ({ rig }) => {
  rig.write('.tmp/task/fix/manifest.yaml', `task_id: fix\n${'a: "\\q"\n'.repeat(31)}`);
  const { stderr } = await rig.run('tollgate', ['run', 'fix']);
  assert.match(stderr, /manifest\.yaml: and 11 more mistakes/);
});

test('a broken file of YAML tells each line that is wrong', async ({ rig }) => {
  rig.write('.tmp/task/fix/manifest.yaml', 'task_id: fix\ngoal: "\\q"\ncwd: "\\z"\nstages: []\n');
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix']);
  assert.is(code, 2);
  assert.equal(stderr.match(/:[23]: /g)?.length, 2, stderr);
  rig.write('.tmp/task/two/manifest.yaml', 'task_id: two\ngoal: a\ngoal: b\nstages: []\nstages: []\n');
  const twice = await rig.run('tollgate', ['run', 'two']);
  assert.equal(twice.stderr.match(/:[35]: the same name is given twice/g)?.length, 2, twice.stderr);
});

test('a CLI that is described wrongly blocks its own stages alone', async ({ rig }) => {
  rig.write('tollgate.yaml', 'tools:\n  mine: {binary: x, ouput: json}\n');
  rig.answer(() => answerWith('codex', 'fine'));
  const good = await makeTask(rig, { stages: [REVIEW] }, 'good').run('--trust-workspace');
  assert.equal([good.code, rig.calls.length], [0, 1], good.said);
  assert.match(good.summary, /Note: mine of tollgate.yaml cannot be called: .*:2: tools\.mine\.ouput is unknown/);
  makeTask(rig, { stages: [{ ...REVIEW, tool: 'mine' }] }, 'bad');
  const bad = await rig.run('tollgate', ['run', 'bad', '--trust-workspace']);
  assert.equal([bad.code, rig.calls.length], [2, 1]);
  assert.match(bad.stderr, /stages\[0\]\.tool is mine, whose description is wrong: .*tools\.mine\.ouput is unknown/);
  const called = await rig.run('tollgate', ['call', 'mine', '--prompt', 'x', '--trust-workspace']);
  assert.match(called.stderr, 'tools.mine.ouput is unknown; did you mean output?');
  assert.is(rig.calls.length, 1);
});

test.run();
