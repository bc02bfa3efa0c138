// The lines to continue, pasted as they are printed: for a trusted workspace, a task elsewhere, a run that was killed; and a beginning anew.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { leaveNote, notesFolder } from '../../../state/supervise/texts.ts';
import { answerWith } from '../../rig/streams.ts';
import { changes, play, REASONER, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('going on');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };
const LATER = { action: 'save_session', why: 'later' };
const savedIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'state/session_save.json'), 'utf8')) as SessionSave;

/** As a shell takes it. */
async function paste(rig: TestRig, line: string) {
  const argv = path.join(rig.root, 'argv');
  const tollgate = path.join(rig.bin, 'tollgate');
  writeFileSync(tollgate, `#!/bin/sh\nfor word; do printf '%s\\0' "$word"; done > '${argv}'\n`, { mode: 0o755 });
  spawnSync('sh', ['-c', line], { cwd: rig.project, env: rig.env });
  return rig.run('tollgate', readFileSync(argv, 'utf8').split('\0').slice(0, -1));
}

/** A worker of its own that a sheet in the trusted workspace describes. */
function ownWorker(rig: TestRig) {
  chmodSync(rig.write('mine.sh', '#!/bin/sh\necho worked >> work.txt; cat; echo; echo done\n'), 0o755);
  rig.write('tollgate.yaml', 'tools: {mine: {binary: ./mine.sh}}\n');
  return { supervise: { worker: { tool: 'mine' }, reasoner: { tool: REASONER } } };
}

test('in a trusted workspace each line bears the trust that it needs', async ({ rig }) => {
  play(rig, [LATER, { action: 'ask', question: 'Which?' }, { action: 'continue', instruction: 'B' }, DONE]);
  const task = superviseTask(rig, ownWorker(rig));
  const saved = await task.supervise('--trust-workspace');
  assert.is(saved.code, 1, saved.said);
  const { resume } = savedIn(task.folder);
  assert.match(saved.summary, resume);
  const parked = await paste(rig, resume);
  assert.match(parked.stdout, '# Task fix: waits for an answer');
  const line = /: (tollgate answer .*)/.exec(parked.stdout)![1]!;
  assert.match((await rig.run('tollgate', ['report'])).stdout, line);
  const answered = await paste(rig, line.replace('…', 'This one.'));
  assert.is(answered.code, 0, answered.stdout + answered.stderr);
});

test('a task that lies elsewhere is named by its path, with what a shell would take apart', async ({ rig }) => {
  play(rig, [LATER, DONE]);
  superviseTask(rig);
  const folder = path.join(rig.root, "o'neil's tasks", 'fix');
  rig.write(path.relative(rig.project, path.join(folder, 'manifest.json')), JSON.stringify(MANIFEST));
  const first = await rig.run('tollgate', ['supervise', `${folder}/`]);
  assert.is(first.code, 1, first.stderr);
  const resumed = await paste(rig, savedIn(folder).resume);
  assert.is(resumed.code, 0, resumed.stderr);
});

const MANIFEST = {
  task_id: 'fix',
  goal: 'Task A',
  supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER } },
};

test('a run that was killed, or is parked, is found by the session of either part, and says so', async ({ rig }) => {
  const task = superviseTask(rig);
  const running = rig.start('tollgate', ['supervise', 'fix']);
  await (await rig.call()).tell(...changes(1));
  const reasoner = await rig.call();
  running.signal('SIGKILL');
  await running.result;
  const id = (stage: string, tool: string) =>
    (JSON.parse(task.read(`outputs/${stage}.${tool}.call.json`)) as { session_id: string }).session_id;
  const resuming = rig.start('tollgate', ['supervise', '--resume', id('worker', WORKER)]);
  await reasoner.tell(...answerWith(REASONER, JSON.stringify({ action: 'ask', question: 'Which?' })));
  const parked = await resuming.result;
  assert.match(
    parked.stderr,
    /is a session of the (worker|reasoner) of fix, which runs, or whose run was killed, in iteration 1/,
    parked.stderr,
  );
  assert.match(parked.stdout, 'Question: Which?');
  assert.is(rig.calls.length, 2);
  const again = await rig.run('tollgate', ['supervise', '--resume', id('reasoner', REASONER)]);
  assert.match(again.stderr, /is a session of the (worker|reasoner) of fix, which waits for an answer since/);
  superviseTask(rig, {}, 'other');
  rmSync(path.join(rig.project, '.tmp/task/other/state'), { recursive: true, force: true });
  spawnSync('cp', ['-r', path.join(task.folder, 'state'), path.join(rig.project, '.tmp/task/other/state')]);
  const several = await rig.run('tollgate', ['supervise', '--resume', id('worker', WORKER)]);
  assert.is(several.code, 2);
  assert.match(several.stderr, 'name the one to continue: tollgate supervise fix, or tollgate supervise other');
});

test('--anew takes the tree as it is: what was changed before is no change of it', async ({ rig }) => {
  spawnSync('git', ['init', '-q', '-b', 'main', rig.project]);
  const stray = { do: 'save', file: 'secret.txt', text: 'x' } as const;
  play(rig, [LATER, DONE], (n) => (n === 1 ? [stray, ...changes(n)] : changes(n)));
  const task = superviseTask(rig, { scope: { allow: ['src/**'] } });
  assert.is((await task.supervise()).code, 1);
  const anew = await task.supervise('--anew');
  assert.is(anew.code, 0, anew.said);
  const [, told] = task.prompts(REASONER);
  assert.match(told!, 'src/step-2.txt');
  assert.not.match(told!, /secret\.txt|step-1\.txt/);
});

test('an answer in the moment in which the task is parked is heard by that very run', async ({ rig }) => {
  spawnSync('git', ['init', '-q', '-b', 'main', rig.project]);
  play(rig, [{ action: 'ask', question: 'Which?' }, DONE]);
  const task = superviseTask(rig);
  const left = path.join(rig.root, 'left');
  await leaveNote(left, 'This one.', new Date());
  const folder = notesFolder(rig.env, path.join(rig.project, '.tmp'), { root: task.folder });
  // git is asked for the branch when the session is saved, which is after the notes were looked at.
  const script = `#!/bin/sh
case "$*" in *symbolic-ref*) [ -d '${left}' ] && mkdir -p '${path.dirname(folder)}' && mv '${left}' '${folder}' ;; esac
exec /usr/bin/git "$@"
`;
  writeFileSync(path.join(rig.bin, 'git'), script, { mode: 0o755 });
  const ran = await task.supervise();
  assert.is(existsSync(left), false);
  assert.is(ran.code, 0, ran.said);
  assert.match(task.prompts(REASONER)[1]!, 'This one.');
  assert.equal(readdirSync(folder), []);
});

test.run();
