// The package among the modules of a project that git does not ignore: tollgate writes nothing there, so nothing of its own counts as a change.

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from './rig/streams.ts';
import { ANY_ANSWER } from './rig/task-run.ts';
import { TestRig } from './rig/test-rig.ts';

const test = suite<{ rig: TestRig; modules: string }>('packed in a project');
test.before.each(async (context) => {
  const rig = await TestRig.open();
  const modules = path.join(rig.project, 'node_modules/tollgate');
  mkdirSync(modules, { recursive: true });
  cpSync('dist', path.join(modules, 'dist'), { recursive: true });
  execFileSync('git', ['init', '--quiet', rig.project], { env: { ...rig.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
  Object.assign(context, { rig, modules });
});
test.after.each(({ rig }) => rig.dispose());

const IMPL = { tool: 'codex', role: 'impl', ...ANY_ANSWER };

/** Each file with its size and its time. */
const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => ({ name, stat: statSync(path.join(folder, name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ name, stat }) => `${name} ${stat.size} ${stat.mtimeMs}`)
    .sort();

function run(rig: TestRig, modules: string, id: string) {
  // As its own process, from there, and with a cache folder that has nothing in it yet.
  const env = { ...rig.env, XDG_CACHE_HOME: path.join(rig.root, 'cache') };
  return new Promise<{ code: number; report: { failure: { reason: string } | null; state: string } }>((resolve) => {
    const argv = [path.join(modules, 'dist/tollgate.cjs'), 'run', id, '--json'];
    execFile(process.execPath, argv, { cwd: rig.project, env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), report: JSON.parse(stdout) }),
    );
  });
}

test('a stage within its scope is done for one paid call', async ({ rig, modules }) => {
  const before = filesIn(modules);
  rig.answer(() => [{ do: 'save', file: 'src/a.ts', text: 'new\n' }, ...answerWith('codex', 'done')]);
  const manifest = { task_id: 'fix', goal: 'Do it.', stages: [IMPL], scope: { allow: ['src/**'] } };
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest));
  const { code, report } = await run(rig, modules, 'fix');
  assert.equal([code, report.failure, rig.calls.length], [0, null, 1]);
  assert.equal(filesIn(modules), before);
});

test('a stage that changed nothing is not taken for one that did', async ({ rig, modules }) => {
  rig.answer(() => answerWith('codex', 'done'));
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify({ task_id: 'fix', goal: 'Do it.', stages: [IMPL] }));
  const { code, report } = await run(rig, modules, 'fix');
  assert.equal([code, report.failure?.reason, rig.calls.length], [1, 'no_change', 1]);
});

test.run();
