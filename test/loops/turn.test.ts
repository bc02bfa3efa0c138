// Turns on a tree: writers alone, readers together, in the order of asking, across processes, whoever dies.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueueTurn } from '../../loops/limits/acquire-ticket.ts';
import { lockTree } from '../../loops/limits/tree-lock.ts';
import { ownScript } from '../rig/own-script.ts';

const test = suite<{ root: string; children: ChildProcess[] }>('turn');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'turn-'));
  context.children = [];
  mkdirSync(path.join(context.root, 'tree'));
});
test.after.each(({ root, children }) => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const TAKER = path.join(import.meta.dirname, '../rig/turn-taker.ts');

/** A turn taken by a process of its own. */
function taker({ root, children }: { root: string; children: ChildProcess[] }, mode: string, name: string) {
  const argv = [...ownScript(TAKER), path.join(root, '.tmp'), path.join(root, 'tree'), mode, name];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    next: async () => (await lines.next()).value as string,
    release: () => child.stdin.end(),
    kill: () => child.kill('SIGKILL'),
  };
}

/** A turn taken by a process that we are not above of. */
async function stranger({ root, children }: { root: string; children: ChildProcess[] }, mode: string, name: string) {
  const [input, output] = [path.join(root, `${name}.in`), path.join(root, `${name}.out`)];
  execFileSync('mkfifo', [input, output]);
  const argv = [...ownScript(TAKER), path.join(root, '.tmp'), path.join(root, 'tree'), mode, name];
  // The shell between the two ends at once, and the child is nobody's.
  const words = [process.execPath, ...argv].map((word) => `'${word}'`).join(' ');
  spawn('sh', ['-c', `${words} < '${input}' > '${output}' &`], { stdio: 'inherit' });
  const ending = spawn('sh', ['-c', `cat > '${input}'`], { stdio: ['pipe', 'inherit', 'inherit'] });
  const reading = spawn('cat', [output], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(ending, reading);
  const lines = createInterface({ input: reading.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  const leaves = async () => {
    ending.stdin.end();
    assert.is(await next(), 'left');
  };
  return { next, leaves };
}

function asker(root: string) {
  const said: string[] = [];
  const watchers: (() => void)[] = [];
  /** Until somebody says that they wait. */
  const waits = () => new Promise<void>((resolve) => watchers.push(resolve));
  const order: string[] = [];
  const ask = (
    mode: 'read' | 'write',
    name: string,
    more: Partial<Parameters<typeof lockTree>[0]> = {},
  ): Promise<QueueTurn> =>
    lockTree({
      stateFolder: path.join(root, '.tmp'),
      tree: path.join(root, 'tree'),
      mode,
      taskId: name,
      stage: `${name}_stage`,
      stop: new AbortController().signal,
      say: (sentence) => {
        said.push(sentence);
        watchers.shift()?.();
      },
      clock: () => new Date(),
      ...more,
    }).then((turn) => {
      if (turn.how === 'taken') order.push(name);
      return turn;
    });
  return { said, waits, order, ask };
}

const release = (turn: QueueTurn) => (turn.how === 'taken' ? turn.release() : assert.unreachable());

test('readers share a tree, a writer has it alone, and no reader overtakes a writer that waits', async ({ root }) => {
  const { ask, order, said, waits } = asker(root);
  const [a, b] = await Promise.all([ask('read', 'a'), ask('read', 'b')]);
  const w = ask('write', 'w');
  await waits();
  const c = ask('read', 'c');
  await waits();
  release(a);
  release(b);
  release(await w);
  release(await c);
  assert.equal(order, ['a', 'b', 'w', 'c']);
  assert.equal(said, [
    `stage w_stage waits for task a (pid ${process.pid}), which reads in ${root}/tree`,
    `stage c_stage waits for task w (pid ${process.pid}), which writes in ${root}/tree`,
  ]);
});

test('two processes take turns, and a link to the tree is the tree', async (context) => {
  const first = taker(context, 'write', 'first');
  assert.is(await first.next(), 'taken');
  const second = taker(context, 'write', 'second');
  const where = path.join(context.root, 'tree');
  assert.is(
    await second.next(),
    `stage second_stage waits for task first (pid ${first.pid}), which writes in ${where}`,
  );
  first.release();
  assert.equal([await first.next(), await second.next()], ['left', 'taken']);
});

test('a holder that is killed frees the tree', async (context) => {
  const holder = taker(context, 'write', 'holder');
  assert.is(await holder.next(), 'taken');
  const { ask, waits } = asker(context.root);
  const waiting = ask('read', 'heir');
  await waits();
  holder.kill();
  assert.is((await waiting).how, 'taken');
});

test('one that is told to stop leaves the line', async ({ root }) => {
  const { ask, order, waits } = asker(root);
  const held = await ask('write', 'held');
  const stop = new AbortController();
  const told = ask('write', 'told', { stop: stop.signal });
  await waits();
  stop.abort();
  assert.equal(await told, { how: 'stopped' });
  const next = ask('write', 'next');
  release(held);
  await next;
  assert.equal(order, ['held', 'next']);
});

test('half a line, a line of nonsense and a deleted file keep nobody from the tree', async ({ root }) => {
  const { ask, order, waits } = asker(root);
  const folder = path.join(root, '.tmp/state/trees');
  const file = () => path.join(folder, readdirSync(folder)[0]!);
  release(await ask('write', 'one'));
  appendFileSync(file(), 'null\n{"ticket":{}}\n{"tick');
  release(await ask('write', 'two'));
  assert.is(readFileSync(file(), 'utf8').includes('{"tick\n{"v":1,'), true);
  const held = await ask('write', 'held');
  const waiting = ask('write', 'waiting');
  await waits();
  rmSync(file());
  assert.is((await waiting).how, 'taken');
  release(held);
  assert.equal(order, ['one', 'two', 'held', 'waiting']);
});

test('a turn of another host counts until its time is over, unless it is to be passed', async ({ root }) => {
  const { ask, said } = asker(root);
  release(await ask('write', 'here'));
  const folder = path.join(root, '.tmp/state/trees');
  const file = path.join(folder, readdirSync(folder)[0]!);
  const owner = { pid: 7, start_time: '1', host: 'far', boot_id: 'b', pid_ns: 'n' };
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const ticket = { id: 'far-1', mode: 'write', owner, task_id: 'far', stage: 's', until };
  appendFileSync(file, `${JSON.stringify({ v: 1, ticket })}\n`);
  const stop = new AbortController();
  const say = (sentence: string) => {
    said.push(sentence);
    stop.abort();
  };
  assert.is((await ask('read', 'patient', { say, stop: stop.signal })).how, 'stopped');
  assert.equal(said, [
    `stage patient_stage waits for task far (pid 7 on far or in another container, at most until ${until}), which writes in ${root}/tree`,
  ]);
  assert.is((await ask('read', 'bold', { foreign: 'pass' })).how, 'taken');
});

test('a run that is started from within a turn does not wait for it', async (context) => {
  const { ask } = asker(context.root);
  const held = await ask('write', 'outer');
  assert.is(await taker(context, 'write', 'inner').next(), 'taken');
  release(held);
});

test('nor does it wait for one that waits for its caller, but it does for another run of that caller', async (context) => {
  const { ask } = asker(context.root);
  const held = await ask('write', 'outer');
  const between = await stranger(context, 'write', 'between');
  assert.match(await between.next(), /^stage between_stage waits for /);
  const inner = taker(context, 'write', 'inner');
  assert.is(await inner.next(), 'taken');
  const other = taker(context, 'write', 'other');
  assert.match(await other.next(), new RegExp(`waits for task inner \\(pid ${inner.pid}\\), which writes in `));
  inner.release();
  assert.equal([await inner.next(), await other.next()], ['left', 'taken']);
  release(held);
  other.release();
  assert.is(await between.next(), 'taken');
  await between.leaves();
});

test('within a turn to read, it waits for others that read already, and for none that waits', async (context) => {
  const { ask } = asker(context.root);
  const reads = await stranger(context, 'read', 'reads');
  assert.is(await reads.next(), 'taken');
  const held = await ask('read', 'outer');
  const between = await stranger(context, 'write', 'between');
  assert.match(await between.next(), /task reads /);
  const late = await stranger(context, 'read', 'late');
  assert.match(await late.next(), /task between /);
  const inner = taker(context, 'write', 'inner');
  assert.match(await inner.next(), /task reads /);
  await reads.leaves();
  assert.is(await inner.next(), 'taken');
  release(held);
  inner.release();
  assert.is(await between.next(), 'taken');
  await between.leaves();
  assert.is(await late.next(), 'taken');
  await late.leaves();
});

test.run();
