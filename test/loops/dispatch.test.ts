// The file by which a dispatcher says what a wrapper is to do: it counts once, and only where a dispatcher puts it.

import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dispatch, takeDispatch, writeDispatch } from '../../loops/attempt/dispatch.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { answerWith } from '../rig/streams.ts';
import { isAlive } from '../rig/survivors.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('a dispatch');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ID = '20260101000000-0badcafe';
const DISPATCH = {
  ...{ run_id: 'r', call_id: ID, for_prompt: 'p', redaction_patterns: [], own_rows: [] },
  prompt: { before: '', warnings: [], left_out: [] },
} satisfies Dispatch;

const write = (rig: TestRig) => writeDispatch(path.join(rig.project, 'attempts'), DISPATCH);
const fileOf = (word: string) => word.slice('--dispatch='.length);

test('is taken once, with the other arguments as they were', ({ rig }) => {
  const word = write(rig);
  assert.equal(takeDispatch(['--out=o', word, '--quiet']), { dispatch: DISPATCH, argv: ['--out=o', '--quiet'] });
  assert.equal(takeDispatch([word]), { file: fileOf(word) });
  assert.equal(takeDispatch(['--out=o']), { dispatch: null, argv: ['--out=o'] });
});

for (const [what, spoil] of [
  ['cut off', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40))],
  ['of another call', (file: string) => writeFileSync(file, JSON.stringify({ ...DISPATCH, call_id: 'other' }))],
  ['null', (file: string) => writeFileSync(file, 'null')],
  [
    'a link',
    (file: string) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
  ],
] as const)
  test(`that is ${what} is not taken, and stays`, ({ rig }) => {
    const word = write(rig);
    spoil(fileOf(word));
    assert.equal(takeDispatch([word]), { file: fileOf(word) });
    assert.ok(existsSync(fileOf(word)));
  });

for (const [command, ...words] of [['run_codex'], ['tollgate', 'call', 'codex'], ['tollgate', 'call', 'mine']] as const)
  test(`that is not there makes no call of ${[command, ...words].join(' ')}`, async ({ rig }) => {
    rig.write('ask.md', 'hi\n');
    const flags = ['--prompt-file=ask.md', '--out=o', '--err=e', '--done-marker=d', '--dispatch=none.json'];
    const { code, stderr } = await rig.run(command, [...words, ...flags]);
    assert.is(code, 2);
    assert.match(stderr, `nothing was started: ${path.join(rig.project, 'none.json')} is not a dispatch`);
    assert.is(JSON.parse(readFileSync(path.join(rig.project, 'd'), 'utf8')).exit_code, 2);
    assert.is(rig.calls.length, 0);
  });

test('is gone when its agent works, and none is left behind', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] });
  const run = task.start();
  const call = await rig.call();
  const [id] = [...task.journal.read().ledger.calls.keys()];
  const attempt = path.join(task.folder, 'state/attempts', id!);
  assert.equal(
    [existsSync(path.join(attempt, 'prompt')), existsSync(path.join(attempt, 'dispatch.json'))],
    [true, false],
  );
  await call.tell(...answerWith('codex', 'ok'));
  assert.is((await run.result).code, 0);
});

test('a guardian whose dispatcher is killed makes its call all the same, and its answer counts', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] });
  const run = task.start();
  const call = await rig.call();
  const [{ reserved }] = [...task.journal.read().ledger.calls.values()] as [Call];
  process.kill(run.pid, 'SIGKILL');
  await call.tell(...answerWith('codex', 'ok'));
  await waitWhile(() => isAlive(reserved.guardian.pid));
  const { code, report } = await task.run();
  assert.equal([code, report.budget.used, rig.calls.length], [0, 1, 1]);
});

test.run();
