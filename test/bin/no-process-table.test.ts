// Where /proc is not there, no process could be watched or ended: each command that calls a CLI refuses, once, and starts nothing.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { unless } from '../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('no process table');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const HIDE = 'mount -t tmpfs none /proc && ';
const hides = process.platform === 'linux' && spawnSync('unshare', ['-Urm', 'sh', '-c', `${HIDE}true`]).status === 0;
const withoutProc = unless(hides ? null : 'no mount namespace for us here, so /proc cannot be taken away', test);

const ROWS: [name: string, command: string, argv: string[]][] = [
  ['a wrapper', 'run_codex', ['--prompt-file', 'ask.md', '--out', 'o.out', '--err', 'o.err']],
  ['call', 'tollgate', ['call', 'codex', '--prompt-file', 'ask.md', '--out', 'o.out', '--err', 'o.err']],
  ['run', 'tollgate', ['run', './tasks/staged']],
  ['batch', 'tollgate', ['batch', './tasks/staged']],
  ['supervise', 'tollgate', ['supervise', './tasks/supervised']],
];

for (const [name, command, argv] of ROWS)
  withoutProc(name, ({ rig }) => {
    rig.install('codex', { script: [...answerWith('codex', 'seen')] as never });
    rig.write('ask.md', 'x');
    const task = { goal: 'Add a line.' };
    rig.write(
      'tasks/staged/manifest.json',
      JSON.stringify({ ...task, task_id: 'staged', stages: [{ role: 'worker', tool: 'codex' }] }),
    );
    const supervise = { worker: { tool: 'codex' }, reasoner: { tool: 'codex' } };
    rig.write('tasks/supervised/manifest.json', JSON.stringify({ ...task, task_id: 'supervised', supervise }));
    const line = `${HIDE}exec "$0" "$@"`;
    const program = path.resolve(`dist/${command}.cjs`);
    const ended = spawnSync('unshare', ['-Urm', 'sh', '-c', line, process.execPath, program, ...argv], {
      cwd: rig.project,
      env: rig.env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.match(ended.stderr, /\/proc does not show the processes of this machine/);
    assert.match(ended.stderr, /mount -t proc/);
    assert.is(ended.signal, null);
    assert.is.not(ended.status, 0);
    assert.is.not(ended.status, 70);
    assert.not(existsSync(path.join(rig.project, 'o.out')));
    assert.equal(rig.calls, []);
    const journal = path.join(rig.project, 'tasks/staged/journal.jsonl');
    if (existsSync(journal)) assert.not.match(readFileSync(journal, 'utf8'), /"claimed"/);
  });

test.run();
