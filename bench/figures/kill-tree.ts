// A tree of eleven processes that is ended, and how long it outlives its time of grace: own groups and sessions, double forks, and none that obeys TERM.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRow } from '../../wrappers/processes/linux.ts';

/** Beside the root, which leads them. */
const MEMBERS = 10;
const GRACE_MS = 2000;

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
import { endTree } from ${JSON.stringify(path.resolve('wrappers/processes/end-tree.ts'))};
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
  const { ended } = await endTree(tree, ${GRACE_MS});
  console.log(JSON.stringify({ began: firstTerm, ended }));
  process.exit();
});
`;

interface EndedTrees {
  /** Of each tree, from the end of its grace, or from the first TERM where it obeys, until its last process was gone. */
  ms: number[];
  leftOver: number;
}

/** Linux alone: the moments of the deaths are read from /proc. @param obeys whether its members end by TERM. */
export async function endTrees(rounds: number, obeys: 'yes' | 'no'): Promise<EndedTrees> {
  const ended: EndedTrees = { ms: [], leftOver: 0 };
  await inFolder(async (folder) => {
    for (let i = 0; i < rounds; i += 1) {
      const one = await endOne(folder, `bench-${process.pid}-${obeys}-${i}`, obeys);
      ended.ms.push(obeys === 'no' ? one.goneMs - GRACE_MS : one.goneMs);
      ended.leftOver += one.left;
      if (one.ended < MEMBERS) throw new Error(`only ${one.ended} of ${MEMBERS} were found beside the root`);
    }
  });
  return ended;
}

/** What nobody gets below: the same tree, by one KILL to each of its processes, all of them known. @returns milliseconds until the last was gone. */
export async function killKnownTree(): Promise<number> {
  let ms = 0;
  await inFolder(async (folder) => {
    const { env, told } = placeOf(folder, `bench-${process.pid}-known`, 'no');
    const root = spawn('sh', [env.ROOT!], { detached: true, stdio: 'ignore', env });
    const watched = await started(told, () => root.exitCode !== null);
    const began = now();
    for (const pid of watched.keys()) process.kill(pid, 'SIGKILL');
    ms = (await goneAt(watched)) - began;
  });
  return ms;
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-kill-'));
  try {
    for (const [name, text] of Object.entries({ member: MEMBER, root: ROOT, 'end.mts': END }))
      writeFileSync(path.join(folder, name), text);
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function placeOf(folder: string, marker: string, obeys: 'yes' | 'no'): { env: NodeJS.ProcessEnv; told: string } {
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
  return { env, told };
}

interface Round {
  /** From the first TERM, by the clock that all processes share. */
  goneMs: number;
  ended: number;
  left: number;
}

async function endOne(folder: string, marker: string, obeys: 'yes' | 'no'): Promise<Round> {
  const { env, told } = placeOf(folder, marker, obeys);
  const ender = spawn(process.execPath, ['--import', 'tsx', path.join(folder, 'end.mts')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  ender.stdout.on('data', (piece) => {
    said += piece;
  });
  const watched = await started(told, () => ender.exitCode !== null);
  const closed = once(ender, 'close');
  ender.stdin.write('end\n');
  const gone = await goneAt(watched);
  await closed;
  const { began, ended } = JSON.parse(said) as { began: number; ended: number };
  return { goneMs: gone - began, ended, left: watched.size };
}

/** Processes by their number, each with what tells it from a later one of the same number. */
type Watched = Map<number, string | undefined>;

/** All of a tree, once all of it is there. */
async function started(told: string, isOver: () => boolean): Promise<Watched> {
  const members = () => readFileSync(told, 'utf8').split('\n').filter(Boolean).map(Number);
  while (members().length < MEMBERS + 1 && !isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
  if (isOver()) throw new Error('the tree, or what ends it, has ended too early');
  return new Map([...members(), ...sleepersOf(members())].map((pid) => [pid, readRow(pid)?.startTime]));
}

/** When the last of them was gone; those that are not within ten seconds stay in `watched`. */
async function goneAt(watched: Watched): Promise<number> {
  const alive = () => {
    for (const [pid, startTime] of watched) {
      const row = readRow(pid);
      if (row === null || row.zombie || row.startTime !== startTime) watched.delete(pid);
    }
    return watched.size > 0;
  };
  const last = now() + 10_000;
  while (alive() && now() < last) await new Promise((resolve) => setTimeout(resolve, watched.size > 3 ? 2 : 1));
  return now();
}

/** Each member waits in a sleep, which has to go too. */
function sleepersOf(members: readonly number[]): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && members.includes(readRow(pid)?.ppid ?? -1));
}

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
