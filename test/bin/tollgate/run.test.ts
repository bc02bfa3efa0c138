// What tollgate run prints: with --json one object for every end, without it the summary, with --quiet too.

import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { surprise } from '../../../bin/tollgate/run-answer.ts';
import { toDo, toType } from '../../../policies/facts/next-action.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

const REFUSED: [what: string, argv: string[], taskId: string | null, message: RegExp][] = [
  ['an unknown flag', ['fix', '--jsno'], null, /^unknown flag --jsno; did you mean --json\?$/],
  ['no task', [], null, /^TASK .* is missing$/],
  ['a word too many', ['fix', 'more'], null, /^"more" is one word too many$/],
  ['no task id', ['..'], null, /^"\.\." is not a task id/],
  ['a task that is not there', ['none'], 'none', /none/],
  ['a manifest with a mistake', ['bad'], 'bad', /stages/],
  ['a manifest with a mistake in a trusted workspace', ['bad', '--trust-workspace'], 'bad', /stages/],
  ['a stage that is not there', ['fix', '--redo=none'], 'fix', /none/],
];
const nextOf = (taskId: string | null, trust = '') =>
  taskId === null
    ? [toType('see how it is called', 'tollgate run --help')]
    : [toType('fix what the message names, then continue', `tollgate run ${taskId}${trust}`, 'pays')];

for (const [what, argv, taskId, message] of REFUSED)
  test(`${what}: --json prints one object, and exit 2 is in it`, async ({ rig }) => {
    makeTask(rig, ONE);
    makeTask(rig, { stages: 'none' }, 'bad');
    const { code, stdout, stderr } = await rig.run('tollgate', ['run', '--json', ...argv]);
    const { message: said, next_actions, ...rest } = JSON.parse(stdout);
    const trust = argv.includes('--trust-workspace') ? ' --trust-workspace' : '';
    assert.equal(
      [code, rig.calls.length, rest, next_actions],
      [2, 0, { schema: 1, task_id: taskId, state: 'refused', exit_code: 2 }, nextOf(taskId, trust)],
    );
    assert.match(said, message);
    assert.is(stdout.indexOf('\n'), stdout.length - 1);
    assert.is(stderr.split('\n')[0], `tollgate run: ${said.split('\n')[0]}`);
  });

test('a run that waited, and one that would not: --json prints one object each', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const refused = await task.start('--no-wait').result;
  assert.equal(
    { ...JSON.parse(refused.stdout), message: '' },
    { schema: 1, task_id: 'fix', state: 'refused', exit_code: 1, message: '', next_actions: nextOf('fix') },
  );
  const second = task.start();
  for (let looks = 0; looks < 500 && !second.stderr.includes('waiting for it'); looks++) await pause(20);
  await fake.tell(...answerWith('codex', 'ok'));
  await first.result;
  const { code, stdout } = await second.result;
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout), {
    schema: 1,
    task_id: 'fix',
    state: 'awaited',
    exit_code: 0,
    message: `another run of fix ended with exit code 0; its report: ${task.folder}/outputs/_summary.md`,
    next_actions: [toDo(`read ${task.folder}/outputs/_summary.md`)],
  });
});

test('the summary goes to stdout without --json, and --quiet takes the progress alone', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  makeTask(rig, ONE);
  const run = (...argv: string[]) => rig.run('tollgate', ['run', 'fix', ...argv]);
  await run();
  const [loud, quiet, json] = [await run(), await run('--quiet'), await run('--quiet', '--json')];
  assert.equal([loud.code, loud.stdout.split('\n')[0]], [0, '# Task fix: done']);
  assert.equal(quiet, { code: 0, signal: null, stdout: loud.stdout, stderr: '' });
  assert.equal([json.code, JSON.parse(json.stdout).state, json.stderr], [0, 'done', '']);
});

test('what nobody expected: --json prints one object, and exit 70 is in it', () => {
  const args = { text: {}, texts: {}, number: {}, words: ['fix'] };
  const { exit, out, err } = surprise({ ...args, given: new Set(['json']) })(new TypeError('no such thing'));
  assert.equal(
    [exit, JSON.parse(out!)],
    [
      70,
      {
        schema: 1,
        task_id: 'fix',
        state: 'refused',
        exit_code: 70,
        message: 'TypeError: no such thing',
        next_actions: [toDo('report it as a bug of tollgate, with the text of stderr')],
      },
    ],
  );
  assert.match(err!, 'This is a bug of tollgate (exit 70)');
  assert.is(surprise({ ...args, given: new Set() })('').out, undefined);
});

test('help is help: with --json the tables behind it, as one object', async ({ rig }) => {
  const { code, stdout } = await rig.run('tollgate', ['run', '--json', '--help']);
  const { name, flags, exits } = JSON.parse(stdout);
  assert.equal([code, name, flags['no-wait'].takes], [0, 'tollgate run', 'nothing']);
  assert.ok(exits.length > 0);
  assert.match((await rig.run('tollgate', ['run', '--help'])).stdout, 'Exit codes:');
});

test.run();
