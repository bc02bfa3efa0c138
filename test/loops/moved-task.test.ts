// A task whose folder or project was copied or moved: what its agent changed out of scope is still found, or the task is refused.

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith } from '../rig/streams.ts';
import { changes, play, superviseTask } from '../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('moved task');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };
const LATER = { action: 'save_session', why: 'later' };
const STRAY: FakeCommand = { do: 'save', file: 'secret.txt', text: 'x' };
const SCOPE = { scope: { allow: ['src/**'] } };

const BASELINE = '.tmp/task/fix/state/baseline';

interface Place {
  what: string;
  cwd: string;
  isFound: boolean;
}

/** Creates each place from the project of a task that has failed; the next one is created when a test is done with the last. */
function* placesOf({ root, project }: TestRig): Generator<Place> {
  const at = (name: string) => path.join(root, name);
  const copied = (to: string, part = '') => {
    cpSync(path.join(project, part), path.join(to, part), { recursive: true });
    return to;
  };
  const pristine = copied(at('pristine'));
  yield { what: 'a copy of the project', cwd: copied(at('copy')), isFound: true };
  const bare = copied(at('bare'));
  rmSync(path.join(bare, BASELINE), { recursive: true });
  yield { what: 'a copy without its baseline', cwd: bare, isFound: false };
  const other = copied(at('other'), '.tmp');
  writeFileSync(path.join(other, 'other.txt'), 'other');
  yield { what: 'another project', cwd: other, isFound: false };
  renameSync(project, at('moved'));
  mkdirSync(project);
  yield { what: 'the project, moved', cwd: at('moved'), isFound: true };
  const back = () => {
    rmSync(project, { recursive: true });
    cpSync(pristine, project, { recursive: true });
  };
  back();
  rmSync(path.join(project, BASELINE), { recursive: true });
  yield { what: 'its own folder, without its baseline', cwd: project, isFound: false };
  back();
  for (const name of readdirSync(path.join(project, BASELINE)))
    if (name.endsWith('.before')) writeFileSync(path.join(project, BASELINE, name), '');
  yield { what: 'its own folder, with a baseline of 0 bytes', cwd: project, isFound: false };
}

test('supervise finds the change in a copy and after a move, and refuses where its baseline is missing', async ({
  rig,
}) => {
  rig.write('keep.txt', 'as it was');
  play(rig, [DONE, LATER, DONE, LATER, DONE, LATER], (n) => [STRAY, ...changes(n)]);
  const first = await superviseTask(rig, SCOPE).supervise();
  assert.is(first.code, 1, first.said);
  assert.match(first.summary, 'secret.txt');
  for (const { what, cwd, isFound } of placesOf(rig)) {
    const paid = rig.calls.length;
    const { code, stdout, stderr } = await rig.run('tollgate', ['supervise', 'fix', '--accept-tree'], { cwd });
    assert.is(code, 1, `${what}: ${stderr}`);
    assert.match(stdout, isFound ? 'secret.txt' : 'cannot be checked, so it cannot be done', what);
    assert.is(rig.calls.length > paid, isFound, what);
  }
});

test('run finds the change in a copy and after a move, and refuses where its baseline is missing, but for --redo', async ({
  rig,
}) => {
  rig.write('keep.txt', 'as it was');
  rig.answer(() => [STRAY, ...answerWith('codex', 'changed it')]);
  const task = makeTask(rig, { ...SCOPE, stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] });
  assert.is((await task.run()).report.failure?.class, 'scope_violation');
  rig.answer(() => changes(1));
  for (const { what, cwd, isFound } of placesOf(rig)) {
    const paid = rig.calls.length;
    const { code, stdout } = await rig.run('tollgate', ['run', 'fix'], { cwd });
    assert.equal([code, rig.calls.length], [1, paid], what);
    assert.match(stdout, isFound ? 'out of scope' : 'cannot be checked, so it cannot be done', what);
    if (isFound) continue;
    assert.match(stdout, '--redo codex_impl');
    const again = await rig.run('tollgate', ['run', 'fix', '--redo=codex_impl'], { cwd });
    assert.equal([again.code, rig.calls.length], [0, paid + 1], `${what}: ${again.stdout}`);
    assert.match(again.stdout, 'what earlier attempts changed is unknown', what);
  }
});

test('a copy names no command and no file of the folder in which it failed', async ({ rig }) => {
  rig.answer(() => answerWith('codex', ''));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'worker' }] });
  assert.is((await task.run()).code, 1);
  const there = path.join(rig.project, '.tmp/task/fix');
  const tell = async (cwd: string) => {
    const explained = JSON.parse((await rig.run('tollgate', ['explain', 'fix', '--json'], { cwd })).stdout);
    const { tasks } = JSON.parse((await rig.run('tollgate', ['report', '--json'], { cwd })).stdout);
    return { explained, row: tasks[0] };
  };
  const own = await tell(rig.project);
  assert.ok(own.explained.next_actions.every(({ text }: { text: string }) => !text.includes('was recorded in')));
  const cwd = path.join(rig.root, 'elsewhere');
  cpSync(rig.project, cwd, { recursive: true });
  const { explained, row } = await tell(cwd);
  const here = `run the task here; its last failure was recorded in ${there}`;
  assert.equal([explained.next_actions.length, explained.class], [1, own.explained.class]);
  for (const action of [explained.next_actions[0], row.next_action]) {
    assert.ok(action.text.startsWith(here), action.text);
    assert.is(action.command, undefined);
  }
  assert.equal(explained.files ?? {}, {});
});

test('a copy that was made while a call ran', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'worker', ...ANY_ANSWER }] });
  const first = rig.start('tollgate', ['run', 'fix']);
  const fake = await rig.call();
  const cwd = path.join(rig.root, 'elsewhere');
  cpSync(path.join(rig.project, '.tmp'), path.join(cwd, '.tmp'), { recursive: true });
  await fake.tell(...answerWith('codex', 'answered there'));
  assert.is((await first.result).code, 0);
  const refused = await rig.run('tollgate', ['run', 'fix'], { cwd });
  assert.equal([refused.code, rig.calls.length], [1, 1], refused.stderr);
  const said = `${refused.stdout}${refused.stderr}`;
  assert.match(said, `this task was copied from ${path.join(rig.project, '.tmp/task/fix')} while the call`);
  rig.answer(() => answerWith('codex', 'answered here'));
  const forced = await rig.run('tollgate', ['run', 'fix', '--force', '--redo=codex_worker'], { cwd });
  assert.equal([forced.code, rig.calls.length], [0, 2], `${forced.stdout}${forced.stderr}`);
});

test('a change of scope.ignored keeps the baseline', async ({ rig }) => {
  rig.answer(() => [STRAY, ...answerWith('codex', 'changed it')]);
  const manifest = (ignored: boolean) => ({
    scope: { allow: ['src/**'], ignored },
    stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }],
  });
  assert.is((await makeTask(rig, manifest(false)).run()).code, 1);
  const { code, report } = await makeTask(rig, manifest(true)).run();
  assert.equal([code, report.failure?.class, rig.calls.length], [1, 'scope_violation', 1]);
});

test.run();
