// Waiting for calls by their files: the marker first, then the process, then the clock.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchProcess } from '../../../loops/batch/living-processes.ts';
import { awaitCall, type NamedCall } from '../../../loops/batch/named-call.ts';
import { waitForAll } from '../../../loops/batch/wait.ts';
import { type Awaited, describe } from '../../../loops/batch/wait-outcome.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite('wait');
const onLinux = where('linux', test);
let folder = '';
test.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'wait-'));
});
test.after.each(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);

function call(named: Partial<NamedCall>): Awaited {
  return awaitCall({
    label: 'it',
    done: at('done'),
    pid: null,
    out: null,
    minLines: null,
    earlier: 'counts',
    ...named,
  });
}

/** What a person reads of each, in order. */
async function wait(awaited: Awaited[], options: Partial<Parameters<typeof waitForAll>[1]> = {}): Promise<string[]> {
  const settled = await waitForAll(awaited, { timeoutMs: 60_000, onFailure: 'wait_on', ...options });
  return settled.map(({ outcome }) =>
    describe(outcome)
      .replaceAll(folder, '')
      .replace(/since [\d-]+T[\d:.]+Z/, 'since T'),
  );
}

const EARLIER = ', since T, before this wait began';

function put(name: string, text: string): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(`${name}.new`), text);
  renameSync(at(`${name}.new`), at(name));
}

/** Runs a script of sh, its stdin open until it is ended here; gives its process number while it runs. */
function shell(script: string, ...values: string[]) {
  const child = spawn('sh', ['-c', script, 'sh', ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, pid: child.pid!, ended: once(child, 'exit') };
}

test('nothing to wait for is done at once', async () => {
  assert.equal(await wait([]), []);
});

test('a marker that is there already counts when nobody is about to write it anew, and this is said', async () => {
  put('done', '{"exit_code":0}');
  assert.equal(await wait([call({})]), [`done${EARLIER}`]);
});

test('a marker says the exit code, class and reason of a failed call', async () => {
  put('done', '{"exit_code":12,"class":"auth","reason":"bad_key"}');
  assert.equal(await wait([call({})]), [`failed with exit code 12: auth (bad_key)${EARLIER}`]);
});

test('a marker is seen when it comes, also in folders that come after the wait began', async () => {
  const awaited = ['a', 'b/done', 'c/d/e/done'].map((name) => call({ done: at(name) }));
  const answer = wait(awaited);
  for (const name of ['c/d/e/done', 'a', 'b/done']) {
    await new Promise(setImmediate);
    put(name, '0');
  }
  assert.equal(await answer, ['done', 'done', 'done']);
});

test('a folder that is deleted and made anew is watched on', async () => {
  put('tasks/other', '');
  const answer = wait([call({ done: at('tasks/done') })]);
  rmSync(at('tasks'), { recursive: true });
  await new Promise(setImmediate);
  put('tasks/done', '0');
  assert.equal(await answer, ['done']);
});

test('a marker that its writer makes before filling it is read when it is filled', async () => {
  const one = call({});
  put('done', '');
  // Its writer is given time from the first look on, however long after the making that comes.
  const later = Date.now() / 1000 + 60;
  utimesSync(at('done'), later, later);
  assert.equal(one.look(), { how: 'pending', next: 'by_the_clock' });
  writeFileSync(at('done'), '3');
  assert.equal(await wait([one]), ['failed with exit code 3']);
});

test('an empty marker is enough, half a record is not', async () => {
  put('empty', '');
  put('half', '{"exit_code":');
  assert.equal(await wait([call({ done: at('empty') }), call({ done: at('half') })]), [
    `done${EARLIER}`,
    'failed: /half holds half a record',
  ]);
});

test('a process that is gone and left no marker has failed, whichever way it is named', async () => {
  const { pid, ended } = shell('exit 0');
  await ended;
  put('pid', `${pid}\n`);
  put('record', `{"host":"here","pid": ${pid}}`);
  const named = [{ number: pid }, { file: at('pid') }, { file: at('record') }];
  const sentence = `failed: process ${pid} is gone, and there is no done marker /done`;
  assert.equal(await wait(named.map((one) => call({ pid: one }))), [sentence, sentence, sentence]);
});

test('a process whose last act is its marker is done, however close the two are', async () => {
  const writers = Array.from({ length: 20 }, (_, i) => shell('read _; echo 0 > "$1"', at(`done${i}`)));
  const answer = wait(writers.map(({ pid }, i) => call({ done: at(`done${i}`), pid: { number: pid } })));
  for (const { child } of writers) child.stdin!.end();
  assert.equal([...new Set(await answer)], ['done']);
});

test('a marker that comes between the two looks at a process that is gone still counts', async () => {
  const { pid, ended } = shell('exit 0');
  await ended;
  const one = call({ pid: { number: pid } });
  assert.equal(one.look(), { how: 'pending', next: 'by_the_clock' });
  put('done', '0');
  assert.equal(one.look(), { how: 'settled', outcome: { how: 'done' } });
});

test('a pid file may come late', async () => {
  const { child, pid, ended } = shell('exec sleep 30');
  const answer = wait([call({ pid: { file: at('run/pid') } })]);
  await new Promise(setImmediate);
  put('run/pid', String(pid));
  child.kill('SIGKILL');
  await ended;
  assert.equal(await answer, [`failed: process ${pid} is gone, and there is no done marker /done`]);
});

test('a pid file without a number is told at once', async () => {
  put('pid', 'soon');
  assert.equal(await wait([call({ pid: { file: at('pid') } })]), ['failed: /pid holds no process number']);
});

test('with a process alone its end is waited for, and its success is not claimed', async () => {
  const { pid } = shell('sleep 0.05');
  assert.equal(await wait([call({ done: null, pid: { number: pid } })]), [
    `done: process ${pid} has ended (no done marker was named, so its success is not known)`,
  ]);
});

onLinux('a zombie is gone: its parent may be the one that waits for us', async () => {
  const { child, ended } = shell('true & echo $!; exec sleep 30');
  const [line] = await once(child.stdout, 'data');
  assert.equal(await wait([call({ pid: { number: Number(line) } })]), [
    `failed: process ${Number(line)} is gone, and there is no done marker /done`,
  ]);
  child.kill('SIGKILL');
  await ended;
});

test('another process that bears the number now is not the one that is meant', () => {
  assert.is(watchProcess(process.pid).ended(), false);
  if (process.platform === 'linux') assert.is(watchProcess(process.pid, '1').ended(), true);
});

test('a done call with too few lines has failed', async () => {
  put('done', '0');
  put('out', 'one\ntwo\n');
  const rows = [2, 3].map((minLines) => call({ out: at('out'), minLines }));
  const none = call({ out: at('none'), minLines: 1 });
  assert.equal(await wait([...rows, none]), [
    `done${EARLIER}`,
    'failed: /out has 2 of the 3 lines wanted',
    'failed: /none has 0 of the 1 lines wanted',
  ]);
});

test('a call that failed is not asked for its lines', async () => {
  put('done', '13');
  assert.equal(await wait([call({ out: at('none'), minLines: 1 })]), [`failed with exit code 13${EARLIER}`]);
});

test('a marker that comes as the time runs out counts', async () => {
  const answer = wait([call({})], { timeoutMs: 5 });
  put('done', '0');
  // The deadline passes before any event is heard.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  assert.equal(await answer, ['done']);
});

test('the time is up: what lacks is named', async () => {
  const calls = [call({}), call({ done: null, pid: { number: process.pid } })];
  assert.equal(await wait(calls, { timeoutMs: 0 }), [
    'timed out after 0 ms: there is no done marker /done',
    `timed out after 0 ms: there is no end of process ${process.pid}`,
  ]);
});

test('the first failure ends the wait when asked to', async () => {
  put('bad', '1');
  const calls = [call({}), call({ done: at('bad') }), call({})];
  assert.equal(await wait(calls, { onFailure: 'stop_waiting' }), [
    'still waiting',
    `failed with exit code 1${EARLIER}`,
    'still waiting',
  ]);
});

test('without that the wait continues, and each is told once as it settles', async () => {
  put('bad', '1');
  const told: string[] = [];
  let tellFirst = () => {};
  const first = new Promise<void>((resolve) => {
    tellFirst = resolve;
  });
  const answer = wait([call({ label: 'good', done: at('late/good') }), call({ label: 'bad', done: at('bad') })], {
    onSettled: ({ label }) => {
      told.push(label);
      tellFirst();
    },
  });
  await first;
  assert.equal(told, ['bad']);
  put('late/good', '0');
  assert.equal(await answer, ['done', `failed with exit code 1${EARLIER}`]);
  assert.equal(told, ['bad', 'good']);
});

test('a wait that is stopped says what it has', async () => {
  put('good', '0');
  const stop = new AbortController();
  const answer = wait([call({}), call({ done: at('good') })], { stop: stop.signal });
  stop.abort();
  assert.equal(await answer, ['still waiting', `done${EARLIER}`]);
  assert.equal(await wait([call({})], { stop: stop.signal }), ['still waiting']);
});

test('a path through a file is told, not waited for', async () => {
  put('file', '');
  const [sentence] = await wait([call({ done: at('file/done') })]);
  assert.match(sentence!, /^failed: ENOTDIR: not a directory/);
});

test('three hundred markers under one folder, and as many in folders of their own, are all seen', async () => {
  const names = Array.from({ length: 300 }, (_, i) => [`flat/${i}.done`, `deep/${i}/state/done`]).flat();
  const answer = wait(names.map((name) => call({ done: at(name) })));
  for (const [i, name] of names.entries()) {
    put(name, '0');
    if (i % 100 === 0) await new Promise(setImmediate);
  }
  assert.equal([...new Set(await answer)], ['done']);
});

test.run();
