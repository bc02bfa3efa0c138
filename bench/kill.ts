// How long a tree of eleven processes outlives its time of grace: own groups and sessions, double forks, and none that obeys TERM.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRow } from '../wrappers/processes/linux.ts';

const ROUNDS = Number(process.argv[2] ?? 30);
const OTHERS = Number(process.argv[3] ?? 300);
/** Beside the root, which leads them. */
const MEMBERS = 10;
const folder = mkdtempSync(path.join(tmpdir(), 'bench-kill-'));

/** One member: says its number, then waits; the name tells how it leaves its parent. */
const MEMBER = `
[ "$OBEYS" = yes ] || trap '' TERM HUP INT
echo $$ >>"$TOLD"
while :; do sleep 600; done
`;
/** Plain, in a group and in a session of its own, double-forked with the marker alone, without it, and below each other. */
const ROOT = `
member() { sh "$MEMBER" & }
member; member
(set -m; sh "$MEMBER" &) ; (set -m; sh "$MEMBER" &)
setsid sh "$MEMBER" & setsid sh "$MEMBER" &
(setsid sh -c 'sh "$MEMBER" & exec sh "$MEMBER"' &)
(setsid sh "$MEMBER" &)
env -u TOLLGATE_CALL_ID -u GEMINI_CLI_TOLLGATE_CALL_ID sh "$MEMBER" &
[ "$OBEYS" = yes ] || trap '' TERM HUP INT
echo $$ >>"$TOLD"
wait
while :; do sleep 600; done
`;
/** Ends the tree from a process of its own, and says when its time of grace began: with the first TERM. */
const END = `
import { endTree, GRACE_MS } from ${JSON.stringify(path.resolve('wrappers/processes/end-tree.ts'))};
import { identifyChild } from ${JSON.stringify(path.resolve('wrappers/processes/identity.ts'))};
import { nowMs } from ${JSON.stringify(path.resolve('wrappers/steady-clock.ts'))};
import { spawn } from 'node:child_process';
const child = spawn('sh', [process.env.ROOT], { detached: true, stdio: 'ignore' });
const sinceMs = nowMs();
const { start_time: startTime } = await identifyChild(child.pid);
const tree = { root: { pid: child.pid, startTime, sinceMs, ours: 'child' }, marker: process.env.TOLLGATE_CALL_ID };
let firstTerm = null;
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  firstTerm ??= nowMs();
  return kill(pid, signal);
};
process.stdin.once('data', async () => {
  const { ended } = await endTree(tree, GRACE_MS);
  console.log(JSON.stringify({ began: firstTerm, graceMs: GRACE_MS, ended }));
  process.exit();
});
`;

interface Round {
  /** From the first TERM, by the clock that all processes share. */
  goneMs: number;
  graceMs: number;
  ended: number;
  left: number;
}

if (process.platform !== 'linux') {
  console.log('SKIPPED: the moments of the deaths are read from /proc');
  process.exit();
}
const others: ChildProcess[] = [];
try {
  for (const [name, text] of Object.entries({ member: MEMBER, root: ROOT, 'end.mts': END }))
    writeFileSync(path.join(folder, name), text);
  console.log(`${ROUNDS} rounds each, node ${process.version}, ${countProcesses()} processes beside.\n`);
  console.log('| tree of 11 | others | median ms | max ms | left over |\n|---|---|---|---|---|');
  await measure('ignores TERM: after the grace', 'no');
  await measure('obeys TERM: in all', 'yes');
  for (let i = 0; i < OTHERS; i += 1) others.push(spawn('sleep', ['600'], { stdio: 'ignore' }));
  await measure('ignores TERM: after the grace', 'no');
  await measure('obeys TERM: in all', 'yes');
} finally {
  for (const other of others) other.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function measure(what: string, obeys: 'yes' | 'no'): Promise<void> {
  const times: number[] = [];
  let leftOver = 0;
  for (let i = 0; i < ROUNDS; i += 1) {
    const { goneMs, graceMs, ended, left } = await round(`bench-${process.pid}-${obeys}-${others.length}-${i}`, obeys);
    times.push(obeys === 'no' ? goneMs - graceMs : goneMs);
    leftOver += left;
    if (ended < MEMBERS) throw new Error(`only ${ended} of ${MEMBERS} were found beside the root`);
  }
  times.sort((a, b) => a - b);
  const [median, max] = [times[Math.floor(times.length / 2)]!, times.at(-1)!];
  console.log(`| ${what} | ${others.length} | ${median.toFixed(1)} | ${max.toFixed(1)} | ${leftOver} |`);
}

async function round(marker: string, obeys: 'yes' | 'no'): Promise<Round> {
  const told = path.join(folder, `${marker}.told`);
  writeFileSync(told, '');
  const env = {
    ...process.env,
    TOLLGATE_CALL_ID: marker,
    GEMINI_CLI_TOLLGATE_CALL_ID: marker,
    OBEYS: obeys,
    TOLD: told,
    MEMBER: path.join(folder, 'member'),
    ROOT: path.join(folder, 'root'),
  };
  const ender = spawn(process.execPath, ['--import', 'tsx', path.join(folder, 'end.mts')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  ender.stdout.on('data', (piece) => {
    said += piece;
  });
  const members = () => readFileSync(told, 'utf8').split('\n').filter(Boolean).map(Number);
  while (members().length < MEMBERS + 1) await new Promise((resolve) => setTimeout(resolve, 5));
  const watched = new Map([...members(), ...sleepersOf(members())].map((pid) => [pid, readRow(pid)?.startTime]));
  const closed = once(ender, 'close');
  ender.stdin.write('end\n');
  const alive = () => {
    for (const [pid, startTime] of watched) {
      const row = readRow(pid);
      if (row === null || row.zombie || row.startTime !== startTime) watched.delete(pid);
    }
    return watched.size > 0;
  };
  const last = now() + 10_000;
  while (alive() && now() < last) await new Promise((resolve) => setTimeout(resolve, watched.size > 3 ? 2 : 1));
  const gone = now();
  await closed;
  const { began, graceMs, ended } = JSON.parse(said) as { began: number; graceMs: number; ended: number };
  return { goneMs: gone - began, graceMs, ended, left: watched.size };
}

/** Each member waits in a sleep, which has to go too. */
function sleepersOf(members: readonly number[]): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && members.includes(readRow(pid)?.ppid ?? -1));
}

function countProcesses(): number {
  return Number(spawnSync('sh', ['-c', 'ls -d /proc/[0-9]* | wc -l'], { encoding: 'utf8' }).stdout);
}

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
