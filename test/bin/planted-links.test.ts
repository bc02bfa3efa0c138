// What somebody planted: a folder that leads away is refused, a link in a file's place is replaced, a program beside the task is not run.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper, usualFlags } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; task: TestTask; outside: string }>('planted links');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.answer(() => answerWith('codex', 'fine'));
  context.outside = path.join(context.rig.root, 'outside');
  mkdirSync(context.outside);
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

const plant = (target: string, place: string) => {
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(target, place);
};

const FOLDERS = ['inputs', 'inputs/prompt', 'outputs', 'state', 'state/attempts', 'state/baseline', 'done'];
test('a folder of a task that leads out of it: nothing is started, and nothing is written there', async (context) => {
  const { rig, task, outside } = context;
  rig.write('ask.md', 'Say hello.\n');
  for (const name of FOLDERS) {
    const place = path.join(task.folder, name);
    plant(outside, place);
    const why = `${place} is a symbolic link that leads out of ${task.folder}, to ${outside}; nothing is written there. Put a folder in its place`;
    const { code, said } = await task.run();
    assert.equal([code, said], [2, `tollgate run: ${why}\n`]);
    const alone = await rig.run('tollgate', ['call', 'codex', '--task', 'fix', ...usualFlags('codex')]);
    assert.equal([alone.code, alone.stderr], [2, `tollgate call codex: --task: ${why}\n`]);
    assert.equal([rig.calls.length, readdirSync(outside)], [0, []], name);
    unlinkSync(place);
  }
});

const WRITING = Object.entries(SUBCOMMANDS).flatMap(([word, { writes }]) => (writes ? [word] : []));
for (const [place, words] of [
  ['.tmp', WRITING],
  ['.tmp/mcp', ['mcp']],
  ['.tmp/batch', ['batch']],
  ['.tmp/console', ['console']],
] as const)
  test(`where ${place} is a link out of the project, ${words.length > 1 ? 'each command that writes' : words[0]} is refused`, async ({
    rig,
    outside,
  }) => {
    assert.ok(WRITING.length >= 14 && words.every((word) => WRITING.includes(word)));
    const link = path.join(rig.project, place);
    if (existsSync(link)) renameSync(link, path.join(rig.root, 'moved'));
    mkdirSync(path.join(rig.project, '.git'));
    plant(outside, link);
    for (const word of words) {
      const { code, stderr } = await rig.start('tollgate', [word, 'fix']).result;
      assert.equal(
        [code, /is a symbolic link that leads out of .*, or choose another place by TOLLGATE_STATE/.test(stderr)],
        [2, true],
        `${word}: ${stderr}`,
      );
    }
    const alone = await runWrapper(rig, 'codex', ['--task', 'fix']).running.result;
    assert.is(alone.code, 2, alone.stderr);
    assert.equal([rig.calls.length, readdirSync(outside)], [0, []]);
  });

test('a folder that tasks share, and that leads out of .tmp, is refused', async ({ rig, task, outside }) => {
  for (const name of ['state', 'state/trees', 'worktrees']) {
    const place = path.join(rig.project, '.tmp', name);
    plant(outside, place);
    const { code, said } = await task.run();
    assert.is(code, 2, name);
    assert.match(said, `${place} is a symbolic link that leads out of`);
    assert.equal([rig.calls.length, readdirSync(outside)], [0, []]);
    unlinkSync(place);
  }
});

test('an id does not lead out of .tmp/task by a link; a path is what its user means', async ({
  rig,
  task,
  outside,
}) => {
  plant(outside, path.join(rig.project, '.tmp/task/away'));
  writeFileSync(
    path.join(outside, 'manifest.json'),
    JSON.stringify({ ...JSON.parse(task.read('manifest.json')), task_id: 'away' }),
  );
  const { code, stderr } = await rig.run('tollgate', ['run', 'away']);
  assert.is(code, 2);
  assert.match(stderr, `${path.join(rig.project, '.tmp/task/away')} is a symbolic link that leads out of`);
  assert.equal(readdirSync(outside), ['manifest.json']);
  assert.is((await rig.run('tollgate', ['run', './.tmp/task/away', '--quiet'])).code, 0);
});

test('a folder that leads nowhere is refused too', async ({ rig, task }) => {
  const place = path.join(task.folder, 'outputs');
  plant('/nowhere/at/all', place);
  const { code, said } = await task.run();
  const why = `${place} is a symbolic link that leads nowhere; nothing is written there. Put a folder in its place`;
  assert.equal([code, said, rig.calls.length], [2, `tollgate run: ${why}\n`, 0]);
});

test('a file that leads away is replaced, what it led to stays, and a link that was moved aside refuses nothing', async ({
  rig,
  task,
  outside,
}) => {
  const aside = path.join(rig.root, 'aside');
  mkdirSync(aside);
  plant(aside, path.join(rig.project, '.tmp/state.unreadable-2026-11-27T20-00-00-000Z'));
  const lead = (name: string, text: string) => {
    const victim = path.join(outside, path.basename(name));
    writeFileSync(victim, text);
    plant(victim, path.join(task.folder, name));
    return () => [readFileSync(victim, 'utf8'), lstatSync(path.join(task.folder, name)).isFile()];
  };
  const written = ['outputs/_summary.md', 'outputs/codex_brief.codex.out', 'inputs/prompt/codex.brief.md'];
  const looks = written.map((name) => lead(name, '{}'));
  assert.equal([(await task.run()).code, readdirSync(aside)], [0, []]);
  for (const [i, look] of looks.entries()) assert.equal(look(), ['{}', true], written[i]);
  const stats = task.read('state/stats.json');
  unlinkSync(path.join(task.folder, 'state/stats.json'));
  lead('state/stats.json', stats);
  await rig.run('tollgate', ['budget', 'fix', '--set', '3']);
  assert.is(readFileSync(path.join(outside, 'stats.json'), 'utf8'), stats);
  const failure = lead('state/last_failure.json', '{}');
  rig.answer(() => [{ do: 'exit', code: 1 }]);
  assert.is((await task.run('--redo=codex_brief')).code, 1);
  assert.equal(failure(), ['{}', true]);
});

test('batch of a chosen state that leads away: the tasks run, and their report is not written', async ({
  rig,
  outside,
}) => {
  rig.env.TOLLGATE_STATE = path.join(rig.project, '.tmp');
  plant(outside, path.join(rig.project, '.tmp/batch'));
  const { stdout } = await rig.run('tollgate', ['batch', 'fix', '--concurrency', '1', '--json']);
  const { notes, files } = JSON.parse(stdout);
  assert.match(notes.join('\n'), 'the report could not be written');
  assert.equal([readdirSync(outside), existsSync(files.report)], [[], false]);
});

test('a program in the working folder is not started, whatever the PATH says', async ({ rig }) => {
  const stranger = `#!/bin/sh\ntouch ${path.join(rig.project, 'ran')}\n`;
  for (const name of ['codex', 'git', 'bin/codex']) chmodSync(rig.write(name, stranger), 0o755);
  rig.uninstall('codex');
  rig.env.PATH = `.::bin:./bin:${rig.env.PATH}`;
  const { code, said } = await runWrapper(rig, 'codex').ended();
  assert.is(code, 13);
  assert.match(said, 'codex is not on the PATH');
  makeTask(rig, { worktree: true, stages: [{ tool: 'gemini', role: 'impl' }] }, 'wt');
  await rig.run('tollgate', ['run', 'wt', '--quiet']);
  assert.not(existsSync(path.join(rig.project, 'ran')));
});

test.run();
