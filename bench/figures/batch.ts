// What a batch costs a stage beyond its guardian: one-stage tasks over a no-op CLI, paired with as many bare guardians, and with the writing that is promised.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { timesOf } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { makeTask } from './tasks.ts';
import { BenchWorld, command, PROMISED, peer } from './world.ts';

/** Of a stage: in milliseconds by the clock, and of the dispatcher's CPU; memory in MiB after a tenth, the half and all of them. */
interface BatchTimes {
  /** As of `promised`: of the half that was faster, since a batch is one piece, and other work on the machine may have met the other half alone. */
  guardianMs: number;
  promised: { ms: number; cpuMs: number };
  batchMs: number;
  cpuMs: number;
  rss: number[];
}

const LANES = 2;

export const batchOf = (count: number): Figure => ({
  about:
    'a batch, two at once, beside as many bare guardians, half of them before it and half after it, and as many stages by plain `node`, likewise; of both the faster half',
  rounds: null,
  async measure() {
    const world = new BenchWorld();
    try {
      return rowsOf(count, await measureBatch(world, count, LANES));
    } finally {
      world.dispose();
    }
  },
});

function rowsOf(count: number, { guardianMs, promised, batchMs, cpuMs, rss }: BatchTimes): FigureRow[] {
  const of = `batch of ${count.toLocaleString('en')}, two at once`;
  const [first = 0] = rss;
  const last = rss.at(-1) ?? 0;
  const stage = (name: string, ms: number, goals?: FigureRow['goals']) =>
    rowOf(`${of}: a stage`, 'ms', timesOf([batchMs]), { name, ...timesOf([ms]) }, goals);
  return [
    stage('the bare guardian', guardianMs, [{ goal: '≤ 1.25 ×', isReached: batchMs <= 1.25 * guardianMs }]),
    stage(PROMISED, promised.ms),
    rowOf(
      `${of}: CPU of the dispatcher a stage`,
      'ms',
      timesOf([cpuMs]),
      { name: PROMISED, ...timesOf([promised.cpuMs]) },
      [{ goal: '≤ 8 ms', isReached: cpuMs <= 8 }],
    ),
    rowOf(
      `${of}: memory at the end, beside a tenth of it`,
      'MiB',
      { median: last, min: Math.min(...rss) },
      { name: 'after a tenth', ...timesOf([first]) },
      [{ goal: 'flat (≤ 1.1 ×)', isReached: last <= 1.1 * first }],
    ),
  ];
}

export async function measureBatch(world: BenchWorld, count: number, lanes: number): Promise<BatchTimes> {
  const half = Math.floor(count / 2);
  const rest = count - half;
  const guardiansBefore = await guardians(world, lanes, half, `g${lanes}a`);
  const promisedBefore = await promised(world, lanes, half, `p${lanes}a`);
  const { ms, cpuMs, rss } = await batch(world, lanes, count);
  const promisedAfter = await promised(world, lanes, rest, `p${lanes}b`);
  const guardiansAfter = await guardians(world, lanes, rest, `g${lanes}b`);
  const faster = (before: number, after: number) => Math.min(before / half, after / rest);
  return {
    guardianMs: faster(guardiansBefore, guardiansAfter),
    promised: {
      ms: faster(promisedBefore.ms, promisedAfter.ms),
      cpuMs: faster(promisedBefore.cpuMs, promisedAfter.cpuMs),
    },
    batchMs: ms / count,
    cpuMs: cpuMs / count,
    rss,
  };
}

/** With a gate that looks at the answer, and at the tree. */
const REVIEW = {
  stages: [{ tool: 'codex', role: 'review', requires: [], min_lines: 1 }],
  scope: { allow: ['src/**'] },
};

/** A project of its own with that many tasks, and their prompts for those who compose none. */
function fill(world: BenchWorld, project: string, count: number, journal: 'begun' | 'none'): string[] {
  return Array.from({ length: count }, (_, i) => {
    const id = makeTask(world, `t${i}`, { project, manifest: REVIEW });
    const task = `${project}/.tmp/task/${id}`;
    world.write(`${task}/inputs/ask.md`, '# Goal\n\nNothing.\n');
    if (journal === 'begun') beginJournal(world, task);
    return id;
  });
}

/** As a dispatcher has done before it starts a guardian, which then need not read the manifest. */
function beginJournal(world: BenchWorld, task: string): void {
  const budget = { v: 1, at: new Date().toISOString(), fact: 'budget', calls: 10, from: 'manifest' };
  world.write(`${task}/state/journal.jsonl`, `${JSON.stringify(budget)}\n`);
}

async function guardians(world: BenchWorld, lanes: number, count: number, name: string): Promise<number> {
  const project = path.join(world.root, name);
  const ids = fill(world, name, count, 'begun');
  const one = (id: string) => {
    const task = path.join(project, '.tmp/task', id);
    const out = path.join(task, 'outputs/look.codex');
    const argv = [command('run_codex'), `--prompt-file=${task}/inputs/ask.md`, `--out=${out}.out`, `--err=${out}.err`];
    const flags = [`--result=${out}.call.json`, `--task=${task}/`, '--stage=codex_look', `--cwd=${project}`];
    const more = ['--timeout-ms=1800000', '--access=read'];
    const options = { env: world.env, stdio: 'ignore', detached: true } as const;
    const child = spawn(process.execPath, [...argv, ...flags, ...more], options);
    return new Promise<void>((resolve, reject) =>
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a guardian exited ${code}`)))),
    );
  };
  const began = performance.now();
  const lane = async () => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) await one(id);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - began;
}

async function promised(world: BenchWorld, lanes: number, count: number, name: string) {
  const tasks = fill(world, name, count, 'none').map((id) => `.tmp/task/${id}`);
  return dispatcher(world, name, [peer('node-run.cjs'), String(lanes), ...tasks], () => {});
}

async function batch(world: BenchWorld, lanes: number, count: number) {
  const name = `b${lanes}`;
  const list = world.write(`${name}.txt`, fill(world, name, count, 'none').join('\n'));
  const rss: number[] = [];
  const looks = [Math.ceil(count / 10), Math.ceil(count / 2), count];
  let lines = 0;
  const argv = [command('tollgate'), 'batch', '--from', list, `--concurrency=${lanes}`];
  const spent = await dispatcher(world, name, argv, (line, pid) => {
    lines += 1;
    if (!line.includes(': done [')) console.error(line);
    if (looks.includes(lines)) rss.push(rssMib(pid));
  });
  return { ...spent, rss };
}

/** What it takes from its start to its end, and of that CPU without its children. @param hear is told each line of its stderr. */
async function dispatcher(
  world: BenchWorld,
  project: string,
  argv: readonly string[],
  hear: (line: string, pid: number) => void,
) {
  const usage = path.join(world.root, 'usage.json');
  const told = `require('node:fs').writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage()))`;
  const hook = world.write('usage.cjs', `process.on('exit', () => ${told})`);
  const began = performance.now();
  const child = spawn(process.execPath, ['--require', hook, ...argv], {
    cwd: path.join(world.root, project),
    env: world.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  createInterface({ input: child.stderr }).on('line', (line) => hear(line, child.pid!));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const ms = performance.now() - began;
  if (code !== 0) throw new Error(`${argv.slice(0, 2).join(' ')} exited ${code}`);
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.ResourceUsage;
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
}

function rssMib(pid: number): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);
}
