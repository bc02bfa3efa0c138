// What is ended and what is spared, with real processes.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endTree, hold, membersOf } from '../../../wrappers/processes/end-tree.ts';
import { identify, identifyChild } from '../../../wrappers/processes/identity.ts';
import { processTable } from '../../../wrappers/processes/table.ts';
import { ownScript } from '../../rig/own-script.ts';
import { isAlive } from '../../rig/survivors.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite('end tree');
const EARLIER = Number.NEGATIVE_INFINITY;
const groups: number[] = [];

test.after.each(() => {
  for (const group of groups.splice(0)) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // The test has ended it.
    }
  }
});

/** Leads a group and a session of its own; no marker in its environment, so that only these tell where it belongs. */
function lead(
  script: string,
  environment: NodeJS.ProcessEnv = {},
  words: string[] = [],
): ChildProcess & { pid: number } {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...words], {
    detached: true,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  groups.push(child.pid!);
  return child as ChildProcess & { pid: number };
}

const line = async (child: ChildProcess) => String((await once(child.stdout!, 'data'))[0]).trim();

/** A group whose leader is gone and reaped; what is left of it is one process. */
async function leaderless(): Promise<{ leader: number; left: number }> {
  const child = lead('sleep 60 >/dev/null & echo $!');
  const [left] = await Promise.all([line(child), once(child, 'exit')]);
  return { leader: child.pid, left: Number(left) };
}

test('a group is not ended because a root of an earlier run once bore its number', async () => {
  const { leader, left } = await leaderless();
  const tree = { root: { pid: leader, startTime: '1', sinceMs: EARLIER }, marker: 'nobody/bears-it' };
  assert.equal(await membersOf(tree), []);
  assert.equal(await endTree(tree), { ended: 0, survivors: [] });
  assert.ok(isAlive(left));
});

test('the group of our own child is ended after the child was reaped', async () => {
  const { leader, left } = await leaderless();
  const root = { pid: leader, startTime: '1', sinceMs: EARLIER, ours: 'child' as const };
  assert.equal(await endTree({ root, marker: 'nobody/bears-it' }), { ended: 1, survivors: [] });
  assert.not(isAlive(left));
});

/** Elsewhere ps is asked, which may come too late; then the child's number alone stands for it. */
const onLinux = where('linux', test);
onLinux('a child that ends at once is still named, and what it left in its group is ended', async () => {
  const child = lead('sleep 60 >/dev/null & echo $!');
  // As long as this loop runs nobody can reap it, so that it is found as the zombie it is.
  while (isAlive(child.pid));
  const [named, alive] = [identifyChild(child.pid), identify(child.pid)];
  const { pid, start_time: startTime } = (await named)!;
  assert.equal([pid, await alive], [child.pid, null]);
  const left = Number(await line(child));
  const root = { pid, startTime, sinceMs: EARLIER, ours: 'child' as const };
  assert.equal(await endTree({ root, marker: 'no/body' }), { ended: 1, survivors: [] });
  assert.not(isAlive(left));
});

test('a root of an earlier run is ended with its group while it lives under its own start time and bears the marker', async () => {
  const marker = `${process.pid}/of-the-record`;
  const child = lead('left=$(env -i sleep 60 >/dev/null & echo $!); echo $left; exec sleep 60', {
    TOLLGATE_CALL_ID: marker,
  });
  const left = Number(await line(child));
  const { start_time } = (await identify(child.pid))!;
  const tree = (startTime: string, bears: string) => ({
    root: { pid: child.pid, startTime, sinceMs: EARLIER },
    marker: bears,
  });
  for (const wrong of [tree(start_time, 'no/body'), tree('1', 'no/body')]) {
    assert.equal(await endTree(wrong), { ended: 0, survivors: [] });
    assert.ok(isAlive(child.pid) && isAlive(left));
  }
  assert.equal(await endTree(tree(start_time, marker)), { ended: 1, survivors: [] });
  assert.not(isAlive(child.pid) || isAlive(left));
});

/** It names itself once it bears the marker. */
const behind = (marker: string) => `(TOLLGATE_CALL_ID=${marker} sh -c 'echo $$; exec sleep 60 >/dev/null' &)`;

test('a bearer whose parent is a living stranger is spared, and one that was left behind is ended', async () => {
  const marker = `${process.pid}/set-by-a-stranger`;
  // As a person does who exports the variable in a shell: the shell itself bears nothing.
  const shell = lead(`export TOLLGATE_CALL_ID=${marker}; sleep 60 >/dev/null & echo $!; wait`);
  const theirs = Number(await line(shell));
  const lost = lead(behind(marker));
  // Until its shell is gone, it is the child of a living stranger.
  const left = Number((await Promise.all([line(lost), once(lost, 'exit')]))[0]);
  groups.push(left);
  assert.equal(await endTree({ root: null, marker }), { ended: 1, survivors: [] });
  assert.equal([isAlive(theirs), isAlive(left)], [true, false]);
});

onLinux('a CLI that is held does nothing more until it is told to end, and that is the first it hears', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'held-'));
  const work = path.join(folder, 'work');
  try {
    const child = lead(`echo >> '${work}'; echo ready; while :; do echo >> '${work}'; done`);
    await line(child);
    const { start_time: startTime } = (await identify(child.pid))!;
    const root = { pid: child.pid, startTime, sinceMs: EARLIER, ours: 'child' as const };
    const tree = await hold({ root, marker: 'no/body' }, 'signalled');
    while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T '));
    const { size } = statSync(work);
    const ended = once(child, 'exit');
    assert.equal((await endTree(tree)).survivors, []);
    // By TERM, not by KILL after the time of grace.
    assert.equal([(await ended)[1], statSync(work).size], ['SIGTERM', size]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

onLinux('a CLI that is held to its end does nothing more, whatever it would do when it is told', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'held-'));
  const work = path.join(folder, 'work');
  try {
    const child = lead(`trap 'echo once more >> "${work}"' TERM; echo ready; while :; do sleep 0.01; done`);
    await line(child);
    const { start_time: startTime } = (await identify(child.pid))!;
    const tree = await hold(
      { root: { pid: child.pid, startTime, sinceMs: EARLIER, ours: 'child' }, marker: 'no/body' },
      'ended',
    );
    const ended = once(child, 'exit');
    assert.equal((await endTree(tree)).survivors, []);
    assert.equal([(await ended)[1], existsSync(work)], ['SIGKILL', false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('who bears the number of a CLI that was found, and started at another time, is not held', async () => {
  const child = lead('echo here; exec sleep 60');
  await line(child);
  const tree = { root: { pid: child.pid, startTime: '1', sinceMs: EARLIER }, marker: 'no/body' };
  assert.equal(await hold(tree, 'signalled'), tree);
});

test('a bearer that is older than the call is spared', async () => {
  const marker = `${process.pid}/older-than-the-call`;
  const lost = lead(behind(marker));
  const left = Number((await Promise.all([line(lost), once(lost, 'exit')]))[0]);
  const { start_time: startTime } = (await identify(left))!;
  const since = process.platform === 'linux' ? String(Number(startTime) + 1) : 'Fri Jan 1 00:00:00 2100';
  assert.equal(await endTree({ root: null, marker, since }), { ended: 0, survivors: [] });
  assert.ok(isAlive(left));
  assert.equal(await endTree({ root: null, marker, since: startTime }), { ended: 1, survivors: [] });
});

test('a signal for a number that was given to another meanwhile is not sent', async () => {
  const child = lead('echo here; exec sleep 60');
  await line(child);
  const row = (await processTable.row(child.pid))!;
  assert.equal(await processTable.signal([{ ...row, startTime: '1' }], 'SIGKILL'), { hit: [], refused: [] });
  assert.ok(isAlive(child.pid));
  assert.equal(await processTable.signal([row], 'SIGKILL'), { hit: [row], refused: [] });
});

onLinux('one who may open no more files takes nobody for gone', async () => {
  const code = `import { openSync } from 'node:fs';
    import { processTable } from './wrappers/processes/table.ts';
    const row = () => processTable.row(process.pid).then((found) => found?.pid === process.pid, ({ code }) => code);
    const before = await row();
    try { for (;;) openSync('/dev/null'); } catch {}
    process._rawDebug(JSON.stringify([before, await row()]));`;
  const script = 'ulimit -n 60; exec "$NODE" --import tsx --input-type=module --eval "$CODE" 2>&1';
  const child = lead(script, { NODE: process.execPath, CODE: code });
  assert.equal(await line(child), '[true,"EMFILE"]');
});

/** Another user's process in our tree takes a user that may not signal it, and so the superuser to make it. */
const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;
if (asRoot === test.skip) console.log('SKIPPED: only the superuser can start a process that we may not signal');
asRoot('what is not ours to end is told, and not waited for', async () => {
  const code = `import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { readFileSync } from 'node:fs';
    import { describeSurvivors, endTree } from './wrappers/processes/end-tree.ts';
    import { identifyChild } from './wrappers/processes/identity.ts';
    const child = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const { start_time: startTime } = await identifyChild(child.pid);
    const ours = Number(String(await once(child.stdout, 'data').then(([piece]) => piece)));
    // The shell names it when it has forked, which may be before it is sleep.
    while (readFileSync('/proc/' + ours + '/comm', 'utf8') !== 'sleep\\n');
    process.setuid(65534);
    // A grace that outlasts them: who waits for it finds nobody left.
    const root = { pid: child.pid, startTime, sinceMs: 0, ours: 'child' };
    const { ended, survivors } = await endTree({ root, marker: 'no/body' }, 3_600_000);
    const names = (await describeSurvivors(survivors)).map((name) => name.replace(/^\\d+/, ''));
    console.log(JSON.stringify([ended, survivors.map(({ pid }) => (pid === child.pid ? 'root' : pid === ours ? 'child' : pid)), names]));
    process.exit();`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  groups.push(child.pid!);
  const said = JSON.parse(await line(child));
  assert.equal(said, [0, ['root', 'child'], [' (sh, user 0)', ' (sleep, user 0)']]);
});

/** Who works in a private folder of a call: a child of ours, or one that was left behind. */
const folder = mkdtempSync(path.join(tmpdir(), 'end-tree-'));
test.after(() => rmSync(folder, { recursive: true }));
const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.log('SKIPPED: no script(1) here, and so no terminal');
const LEAVE = '(sleep 60 >/dev/null & echo $!); exec sleep 60';
for (const [who, command, argv, session, alive] of [
  ['in a session of its own is ended', 'sh', ['-c', 'echo $$; exec sleep 60'], 'new', false],
  ['in the session that we live under is spared', 'sh', ['-c', 'echo $$; exec sleep 60'], 'ours', true],
  ['at a terminal, and hangs from nobody, is spared', 'script', ['-qec', LEAVE, '/dev/null'], 'ours', true],
] as const)
  (command === 'script' && !hasScript ? test.skip : onLinux)(`one who works in a call’s folder ${who}`, async () => {
    const child = spawn(command, argv, {
      cwd: folder,
      detached: session === 'new',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const seen = Number(await line(child));
      await endTree({ root: null, marker: 'no/body', folders: [folder] });
      assert.is(isAlive(seen), alive);
    } finally {
      child.kill('SIGKILL');
    }
  });

for (const [why, root, ended] of [
  ['', 'parent', 1],
  // Nothing tells that session from one in which a person works.
  [', and without a root all who share its session', 'nobody', process.platform === 'linux' ? 0 : 1],
] as const)
  test(`one who is told to end a tree that it lives in itself spares itself and all above it${why}`, async () => {
    const marker = `${process.pid}/its-own-call`;
    // Compiled before: tsx would start a helper that bears the marker too.
    const script = ownScript(path.join(import.meta.dirname, '../../rig/own-tree-ender.ts'));
    const child = lead('sleep 60 >/dev/null & "$@"; echo "the shell lives"; kill $!', { TOLLGATE_CALL_ID: marker }, [
      process.execPath,
      ...script,
      root,
      marker,
    ]);
    let said = '';
    child.stdout!.on('data', (piece) => {
      said += piece;
    });
    await once(child, 'close');
    assert.is(said, `${ended} ended\nthe shell lives\n`);
  });

test.run();
