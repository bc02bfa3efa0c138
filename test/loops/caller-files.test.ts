// What the caller of a run writes into the tree itself is not the agent's: its log is open before the stage begins.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>("callers' files");
const onLinux = where('linux', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const RUN = `node ${path.resolve(import.meta.dirname, '../../dist')}/tollgate.cjs run fix`;
const STAGES = { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }], scope: { allow: ['src/**'] } };
const SRC: FakeCommand = { do: 'save', file: 'src/a.ts', text: 'new\n' };

async function bash(rig: TestRig, script: string): Promise<number> {
  const child = spawn('bash', ['-c', script], { cwd: rig.project, env: rig.env, stdio: 'ignore' });
  return (await once(child, 'close'))[0];
}

for (const [words, script, isLinux] of [
  ['redirected stderr and stdout', `${RUN} --json >out.json 2>x.err`, false],
  ['an appended log', `echo before >x.log; ${RUN} >>x.log 2>&1`, false],
  ['tee', `${RUN} 2>&1 | tee run.log; exit \${PIPESTATUS[0]}`, true],
] as const)
  (isLinux ? onLinux : test)(
    `${words} in the tree are no violation, and it is said that they were left out`,
    async ({ rig }) => {
      rig.answer(() => [SRC, ...answerWith('codex', 'done')]);
      const task = makeTask(rig, STAGES);
      assert.is(await bash(rig, script), 0, task.failure()?.evidence?.text);
      const gate = JSON.parse(task.read('outputs/codex_impl.gate.json'));
      assert.equal(gate.changes, [{ path: 'src/a.ts', how: 'added' }]);
      assert.match(
        gate.notes.join('\n'),
        /^not counted as a change: (?:out\.json, x\.err|x\.err|x\.log|run\.log) \(open for writing/m,
      );
    },
  );

test('what the agent puts in the place of such a file, or beside it, is a violation', async ({ rig }) => {
  rig.answer(() => [
    SRC,
    { do: 'run', argv: ['sh', '-c', 'rm x.err; echo mine >x.err; echo mine >y.err'], to: '/dev/null' },
    ...answerWith('codex', 'done'),
  ]);
  const task = makeTask(rig, STAGES);
  assert.is(await bash(rig, `${RUN} 2>x.err`), 1);
  const { reason, missing } = task.failure()!;
  assert.equal([reason, missing.map((row) => row.split(' ')[0])], ['out_of_scope', ['x.err', 'y.err']]);
});

test('a log that grows alone is not the change that an impl stage has to make', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  const task = makeTask(rig, STAGES);
  assert.is(await bash(rig, `${RUN} 2>x.err`), 1);
  assert.is(task.failure()!.reason, 'no_change');
});

test.run();
