// tollgate logs: the call under way or the last one, followed to the task's end, without secrets.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate logs');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const TWO = {
  stages: [
    { tool: 'codex', role: 'brief', ...ANY_ANSWER },
    { tool: 'gemini', role: 'review', ...ANY_ANSWER },
  ],
};

test('the last call: what it answered, and its stderr', async ({ rig }) => {
  rig.answer(() => [{ do: 'write', to: 'stderr', text: 'careful\n' }, ...answerWith('codex', 'one\ntwo')]);
  const task = makeTask(rig, ONE);
  await task.run();
  const { code, stdout, stderr } = await rig.run('tollgate', ['logs', 'fix']);
  assert.equal([code, stdout], [0, `session ${SESSION}\none\ntwo\nended its turn\nstderr: careful\n`]);
  assert.match(stderr, /^tollgate logs: call \S+ of codex_brief \(codex, attempt 1\): succeeded\n$/);
});

test('a failure, as JSONL, and of one stage', async ({ rig }) => {
  rig.answer((call) =>
    call.report.tool === 'codex' ? answerWith('codex', 'ok') : failWith('gemini', 'no such key', 401),
  );
  await makeTask(rig, TWO).run();
  const show = async (...flags: string[]) => {
    const { stdout } = await rig.run('tollgate', ['logs', 'fix', '--json', ...flags]);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [last, brief] = [await show(), await show('--stage=codex_brief')];
  assert.ok(last.every(({ stage, of }) => stage === 'gemini_review' && (of === 'event' || of === 'stderr')));
  assert.ok(last.some(({ text }) => text.includes('no such key')));
  assert.ok(brief.some(({ stage, of, text }) => stage === 'codex_brief' && of === 'event' && text === 'ok'));
});

test('-f continues from call to call until the task ends', async ({ rig }) => {
  const task = makeTask(rig, TWO);
  const running = task.start();
  const first = await rig.call();
  await first.tell(write(STREAMS.codex.opens(SESSION)));
  const following = rig.start('tollgate', ['logs', 'fix', '-f']);
  await following.says(/of codex_brief .*: running since/);
  await first.tell(...answerWith('codex', 'from one'));
  const second = await rig.call();
  await following.says(/of gemini_review/);
  await second.tell(...answerWith('gemini', 'from two'));
  await running.result;
  const { code, stdout } = await following.result;
  assert.is(code, 0);
  assert.match(stdout, /from one[\s\S]*from two/);
});

test('INT ends who follows with 130, and nothing else', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  const following = rig.start('tollgate', ['logs', 'fix', '--follow']);
  await following.says(/running since/);
  following.signal('SIGINT');
  const { code, stderr } = await following.result;
  assert.is(code, 130);
  assert.not.match(stderr, /\n\s+at /);
  await fake.tell(...answerWith('codex', 'ok'));
  assert.is((await running.result).code, 0);
});

test('a secret is shown nowhere, and what hides one that is unknown here is withheld', async ({ rig }) => {
  const secret = 'hunter2-hunter2-hunter2';
  rig.answer(() => [{ do: 'write', to: 'stderr', text: `key ${secret}\n` }, ...answerWith('codex', `it is ${secret}`)]);
  makeTask(rig, ONE);
  await rig.run('tollgate', ['run', 'fix'], { env: { MY_API_TOKEN: secret } });
  for (const flags of [[], ['--raw'], ['--json']]) {
    const shown = await rig.run('tollgate', ['logs', 'fix', ...flags], { env: { MY_API_TOKEN: secret } });
    assert.is(shown.code, 0);
    assert.match(shown.stdout, '[REDACTED:MY_API_TOKEN]');
    assert.not.match(shown.stdout + shown.stderr, secret);
  }
  const redacted = await rig.run('tollgate', ['logs', 'fix']);
  assert.equal([redacted.code, redacted.stdout.includes(secret)], [0, false]);
  await rig.run('tollgate', ['run', 'fix', '--redo', 'codex_brief', '--keep-raw'], { env: { MY_API_TOKEN: secret } });
  const elsewhere = await rig.run('tollgate', ['logs', 'fix']);
  assert.equal([elsewhere.code, elsewhere.stdout], [1, '']);
  assert.match(elsewhere.stderr, "withheld: MY_API_TOKEN of the call's environment is not set here");
});

test('nothing yet, files that are gone, and mistakes', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  const logs = async (...argv: string[]) => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['logs', ...argv]);
    return [code, stdout, stderr];
  };
  assert.equal(await logs('fix'), [
    0,
    '',
    'tollgate logs: no call of fix was made yet; `tollgate run fix` makes one\n',
  ]);
  await task.run();
  assert.equal(await logs('fix', '--stage=none'), [
    2,
    '',
    'tollgate logs: no call of stage "none" was made; there are codex_brief\n',
  ]);
  const [code, , stderr] = await logs('none');
  assert.equal(
    [code, /there is no task at .*none \(tollgate status lists those that exist\)\n$/.test(String(stderr))],
    [2, true],
  );
  rmSync(path.join(task.folder, 'state/attempts'), { recursive: true });
  const gone = await logs('fix', '--quiet');
  assert.is(gone[0], 1);
  assert.match(String(gone[2]), /^tollgate logs: the files of call \S+ are gone\n$/);
});

test.run();
