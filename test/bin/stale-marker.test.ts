// What an earlier job left in the folder is never taken for the outcome of what was started now, in whatever order.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, COMMANDS, TOOLS } from '../../policies/facts/tools.ts';
import { TEMPORARY } from '../../state/disk/replace-file.ts';
import { countIn, eventsOf } from '../rig/counted.ts';
import { callOfOwn, limitToOne } from '../rig/limited-calls.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite('stale markers');
let rig: TestRig;
test.before.each(async () => {
  rig = await TestRig.open();
  rig.write('ask.md', 'Find out.');
});
test.after.each(() => rig.dispose());

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** From now on all CLIs answer, or all fail. */
function play(how: 'ok' | 'failed'): void {
  for (const tool of TOOLS)
    rig.install(tool, {
      script: how === 'ok' ? [...answerWith(tool, 'Found.')] : [{ do: 'exit', code: 1 }],
    });
}

const wrapper = (tool: BuiltIn) =>
  `node ${DIST}/${COMMANDS[tool]}.cjs --quiet --prompt-file ask.md --out ${tool}.out --err ${tool}.err --done-marker ${tool}.done --pid-file ${tool}.pid`;

async function sh(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn('sh', ['-c', script], { cwd: rig.project, env: rig.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** How a marker is written does not depend on the CLI. */
const PARALLEL = ['codex', 'gemini'] as const;

const started = PARALLEL.map((tool) => `${wrapper(tool)} 2>/dev/null &`).join('\n');
const WAIT = `node ${DIST}/wait_parallel_tasks.cjs --timeout-ms 120000`;

/** How one who waits may name the calls. */
const NAMED: Record<string, { start: string; wait: string }> = {
  'by marker and pid file': {
    start: started,
    wait: PARALLEL.map((tool, i) => `--task-${i + 1}-done ${tool}.done --task-${i + 1}-pid ${tool}.pid`).join(' '),
  },
  'by marker alone': { start: started, wait: PARALLEL.map((tool, i) => `--task-${i + 1}-done ${tool}.done`).join(' ') },
  'by marker and $!': {
    start: PARALLEL.map((tool) => `${wrapper(tool)} 2>/dev/null & ${tool}=$!`).join('\n'),
    wait: PARALLEL.map((tool, i) => `--task-${i + 1}-done ${tool}.done --task-${i + 1}-pid $${tool}`).join(' '),
  },
};

test('an old done marker is gone while its wrapper still waits for its turn', async () => {
  limitToOne(rig, 'codex');
  const first = callOfOwn(rig, 'codex');
  const fake = await rig.call();
  rig.write('codex.done', '{"exit_code":0}');
  const flags = ['--prompt-file', 'ask.md', '--out', 'codex.out', '--err', 'codex.err', '--done-marker', 'codex.done'];
  const second = rig.start('run_codex', flags);
  await second.says(/waits for one of 1 calls to end/);
  assert.not(existsSync(path.join(rig.project, 'codex.done')));
  second.signal('SIGTERM');
  await fake.tell(...answerWith('codex', 'Found.'));
  await Promise.all([first.result, second.result]);
});

test('the done marker is the last file that a wrapper writes', async () => {
  play('ok');
  const counted = countIn(rig);
  await sh(`${wrapper('codex')} --result codex.json --session-id-out codex.session`);
  const [process] = counted().filter(({ script }) => script === 'run_codex.cjs');
  // Each is written beside its place, and renamed; the cache of our own code is kept later still.
  const written = eventsOf(process!, 'change')
    .flatMap(({ file }) => TEMPORARY.exec(path.basename(file))?.[1] ?? [])
    .filter((name) => name.startsWith('codex.'));
  for (const file of ['codex.out', 'codex.err', 'codex.json', 'codex.session']) assert.ok(written.includes(file), file);
  // Once: a waiter takes an early one for the end.
  assert.is(written.indexOf('codex.done'), written.length - 1, written.join(', '));
});

for (const [words, { start, wait }] of Object.entries(NAMED))
  test(`all wrappers in the background, named ${words}, where an earlier job left its files`, async () => {
    play('ok');
    assert.is((await sh(`${start}\n${WAIT} ${wait}`)).code, 0);
    for (const round of ['failed', 'ok'] as const) {
      play(round);
      const { code, stderr } = await sh(`${start}\n${WAIT} ${wait}`);
      const count = PARALLEL.length;
      const each = PARALLEL.map((_, i) => `task ${i + 1}`).join(', ');
      const said = `${count} tasks: ${round === 'ok' ? `${count} done` : `${count} failed (${each})`}`;
      assert.equal([stderr.trimEnd().split('\n').at(-1), code], [said, round === 'ok' ? 0 : 1], stderr);
    }
  });

test('a wrapper that refuses its arguments answers in the place of an earlier call', async () => {
  play('ok');
  assert.is((await sh(wrapper('codex'))).code, 0);
  const { code, stderr } = await sh(
    `${wrapper('codex')} --bogus 2>&1 &\n${WAIT} --task-1-done codex.done --task-1-pid codex.pid`,
  );
  assert.is(code, 1);
  assert.match(stderr, /^task 1: failed with exit code 2: tooling \(usage\)/m);
});

test('wrong arguments harm no file that is not a marker or a pid file', async () => {
  const named = ['--done-marker', 'ask.md', '--pid-file', 'notes.txt'];
  rig.write('notes.txt', 'mine');
  rig.write('answer.json', '{"exit_code": 0}');
  await rig.start('run_codex', ['--bogus', '--prompt-file', 'ask.md', ...named]).result;
  await rig.start('run_codex', ['--bogus', '--out=answer.json', '--done-marker=answer.json']).result;
  await rig.start('run_codex', ['--bogus', '--done-marker']).result;
  const left = ['ask.md', 'notes.txt', 'answer.json'].map((name) => readFileSync(path.join(rig.project, name), 'utf8'));
  assert.equal(left, ['Find out.', 'mine', '{"exit_code": 0}']);
});

test('a marker names its call and its process, and the pid file is there before anything is looked at', async () => {
  const names = ['--out', 'a.out', '--err', 'a.err', '--done-marker', 'a.done', '--pid-file', 'a.pid'];
  const refused = rig.start('run_codex', ['--prompt-file', 'none.md', '--result', 'a.json', ...names]);
  await refused.result;
  const read = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
  const { at, started_by, ...marker } = JSON.parse(read('a.done'));
  const { call_id, started_at } = JSON.parse(read('a.json'));
  assert.equal(marker, { exit_code: 2, class: 'tooling', reason: 'no_prompt', call_id, pid: refused.pid });
  assert.is(started_by[0], process.pid);
  assert.ok(at >= started_at);
  assert.is(read('a.pid'), `${refused.pid}\n`);
});

test('--fresh waits on for what is yet to be started', async () => {
  play('ok');
  await sh(wrapper('codex'));
  play('failed');
  const argv = ['--fresh', '--task-1-done', 'codex.done', '--task-1-pid', 'codex.pid'];
  // A path through a file is told at once: by then it is known what was there before the wait began.
  const waiting = rig.start('wait_parallel_tasks', [...argv, '--task-2-done', 'ask.md/done']);
  await waiting.says(/^task 2: failed: ENOTDIR/m);
  await sh(`${wrapper('codex')} 2>/dev/null`);
  const { code, stderr } = await waiting.result;
  assert.is(code, 1);
  assert.match(stderr, /^task 1: failed with exit code \d+: /m);
});

test('a marker without a word on its process counts only if it is younger than the pid file beside it', async () => {
  rig.write('a.done', '0');
  rig.write('a.pid', '999999999');
  const old = new Date(Date.now() - 60_000);
  const argv = ['--json', '--task-1-done', 'a.done', '--task-1-pid', 'a.pid', '--timeout-ms', '60000'];
  const wait = async () => JSON.parse((await rig.start('wait_parallel_tasks', argv).result).stdout).tasks[0];
  utimesSync(path.join(rig.project, 'a.done'), old, old);
  const { status, message } = await wait();
  assert.equal(
    [status, message],
    [
      'failed',
      'failed: process 999999999 is gone, and there is no done marker a.done (the one that is there is older than process 999999999)',
    ],
  );
  utimesSync(path.join(rig.project, 'a.pid'), old, old);
  assert.is((await wait()).status, 'done');
});

test('the run of a task that is started again is waited for, not the end of the one before', async () => {
  rig.answer(() => [...answerWith('codex', 'Found.')]);
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const { code } = await task.run();
  assert.is(code, 0);
  play('failed');
  const ended = await sh(
    `node ${DIST}/tollgate.cjs run fix --redo codex_brief >/dev/null 2>&1 &\n${WAIT} --json fix 2>/dev/null`,
  );
  const [row] = JSON.parse(ended.stdout).tasks;
  assert.equal([ended.code, row.status, row.earlier], [1, 'failed', false], row.message);
});

test.run();
