// tollgate watch: lines for whoever has no terminal, a page for whoever has, and the terminal afterwards as it was before.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate watch');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const can = hasTerminal ? test : test.skip;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

const COMMAND = path.resolve('dist/tollgate.cjs');
const READS = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };

/** A command whose stdout is read while it continues. */
function started(rig: TestRig, file: string, argv: string[]) {
  const env = { ...rig.env, TERM: 'xterm', SHELL: '/bin/sh' };
  const child = spawn(file, argv, { cwd: rig.project, env, stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close');
  return {
    press: (keys: string) => child.stdin.write(keys),
    async says(pattern: RegExp) {
      while (!pattern.test(said)) {
        if (child.exitCode !== null) throw new Error(`it ended without saying ${pattern}: ${said}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
    ended: () => closed.then(([code]) => ({ code: code as number, said })),
  };
}

const watching = (rig: TestRig, ...flags: string[]) =>
  started(rig, process.execPath, [COMMAND, 'watch', '--until-end', ...flags]);

test('without a terminal: a line for each change, until all have ended', async ({ rig }) => {
  const run = makeTask(rig, READS).start();
  const fake = await rig.call();
  const watch = watching(rig);
  await watch.says(/fix: codex_review: asks codex \(attempt 1\)\n/);
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  await watch.says(/fix: codex_review: asks the model\n/);
  await fake.tell(...answerWith('codex', 'ok'));
  const { code, said } = await watch.ended();
  assert.is(code, 0);
  assert.match(said, /^\d\d:\d\d:\d\d fix: is at work\n/);
  assert.match(said, /fix: done\n\d\d:\d\d:\d\d none is at work: 1 done of 1\n$/);
  await run.result;
});

test('of a stand-in it says in whose place it is asked', async ({ rig }) => {
  const stage = { tool: 'codex', role: 'review', model: 'm1', fallback_on: ['overloaded'], ...ANY_ANSWER };
  const run = makeTask(rig, { stages: [{ ...stage, fallback: [{ tool: 'copilot' }] }] }).start();
  await (await rig.call()).tell(...failWith('codex', 'The model is overloaded. Please try again later.', 503));
  const fake = await rig.call();
  const watch = watching(rig);
  await watch.says(/fix: codex_review: asks copilot for codex with m1 \(attempt \d\)\n/);
  await fake.tell(...answerWith('copilot', 'ok'));
  assert.is((await watch.ended()).code, 0);
  await run.result;
});

test('--json: one object for each change', async ({ rig }) => {
  const run = makeTask(rig, READS).start();
  const fake = await rig.call();
  const watch = watching(rig, '--json', 'fix');
  await watch.says(/"change":"called"/);
  await fake.tell(...answerWith('codex', 'ok'));
  const told = (await watch.ended()).said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [ended, over] = told.slice(-2);
  assert.equal([told[0].change, ended.change, ended.state, over.change], ['began', 'ended', 'done', 'over']);
  assert.equal([over.totals.tasks, over.totals.done, over.totals.running], [1, 1, 0]);
  const others = told.slice(0, -1).filter(({ task_id }) => task_id !== 'fix');
  assert.equal(others, []);
  await run.result;
});

test('--until-end where nothing is at work says how it stands', async ({ rig }) => {
  const watch = () => rig.run('tollgate', ['watch', '--until-end']);
  assert.match(
    (await watch()).stdout,
    /^\d\d:\d\d:\d\d none is at work: no task in .*task; tollgate init NAME --goal "…" creates one\n$/,
  );
  makeTask(rig, READS);
  assert.match((await watch()).stdout, /^\d\d:\d\d:\d\d none is at work: 1 never run of 1\n$/);
});

test('no such task', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['watch', 'none']);
  assert.is(code, 2);
  assert.match(stderr, /^tollgate watch: there is no task at .*none \(tollgate status lists those that exist\)\n$/);
});

const KEYS: [what: string, keys: string, code: number][] = [
  ['q', 'q', 0],
  ['Ctrl-C', '\u0003', 130],
];
for (const [what, keys, code] of KEYS)
  can(`on a terminal: the page, and after ${what} all is as it was`, async ({ rig }) => {
    const run = makeTask(rig, READS).start();
    const fake = await rig.call();
    const command = `stty cols 60 rows 20; stty -g > before; ${process.execPath} ${COMMAND} watch; code=$?; stty -g > after; exit $code`;
    const terminal = started(rig, 'script', ['-qefc', command, '/dev/null']);
    await terminal.says(/fix +codex_review /);
    terminal.press(keys);
    const ended = await terminal.ended();
    assert.is(ended.code, code, ended.said);
    const [before, after] = ['before', 'after'].map((name) => readFileSync(path.join(rig.project, name), 'utf8'));
    assert.is(after, before);
    // Its own screen is left, the cursor is back, and so is the end of a line.
    assert.match(
      ended.said,
      /\u001b\[\?7h\u001b\[\?25h\u001b\[\?1049l1 running of 1\r\nThe tasks continue; `tollgate watch` shows them again\.\r\n$/,
    );
    await fake.tell(...answerWith('codex', 'ok'));
    await run.result;
  });

can('on a terminal: the log and the summary of a task, a filter, and a stop that asks first', async ({ rig }) => {
  const run = makeTask(rig, READS, 'fix').start();
  const fake = await rig.call();
  await fake.tell(write([...STREAMS.codex.opens(SESSION), ...STREAMS.codex.says('half an answer')]));
  const command = `stty cols 100 rows 20; '${process.execPath}' '${COMMAND}' watch`;
  const terminal = started(rig, 'script', ['-qefc', command, '/dev/null']);
  await terminal.says(/fix +codex_review /);
  terminal.press('jl');
  await terminal.says(/Log of fix[\s\S]*half an answer/);
  terminal.press('q');
  await terminal.says(/> fix +codex_review /);
  terminal.press('o');
  await terminal.says(/Summary of fix[\s\S]*there is no summary yet/);
  terminal.press('q/none\r');
  await terminal.says(/\(filter: none\)/);
  terminal.press('s');
  await terminal.says(/Nothing to stop: the filter "none" hides all tasks; Esc removes it\./);
  terminal.press('\u001b');
  terminal.press('s');
  await terminal.says(/stop fix\? y stops it/);
  terminal.press('y');
  await terminal.says(/fix is being stopped/);
  assert.is((await run.result).code, 143);
  await terminal.says(/fix +interrupted/);
  terminal.press('q');
  assert.is((await terminal.ended()).code, 0);
});

test.run();
