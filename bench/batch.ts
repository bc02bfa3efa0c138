// What a batch costs a stage beyond its guardian: N one-stage tasks over a no-op CLI, paired with as many bare guardians.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const N = Number(process.argv[2] ?? 1000);
const LANES = process.argv[3] === undefined ? [2, 4] : [Number(process.argv[3])];
const root = mkdtempSync(path.join(tmpdir(), 'bench-'));
const bin = path.join(root, 'bin');
mkdirSync(bin);
copyFileSync('test/rig/noop-cli.sh', path.join(bin, 'codex'));
chmodSync(path.join(bin, 'codex'), 0o755);
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: root };
// It adds 45 to 50 ms to every process of Node 20.
delete env.NODE_EXTRA_CA_CERTS;
const told = path.join(root, 'usage.json');
const hook = path.join(root, 'usage.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.resourceUsage())))`,
);

try {
  console.log(
    `${N} one-stage tasks with a no-op CLI, node ${process.version}; half of the bare guardians before the batch, half after it.\n`,
  );
  console.log(
    '| at once | bare guardian ms | batch, ms a stage | beyond the guardian ms | dispatcher CPU ms a stage | RSS MiB after 10 %, 50 %, all |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const lanes of LANES) {
    const before = await guardians(lanes, Math.floor(N / 2), `g${lanes}a`);
    const { ms, cpuMs, rss } = await batch(lanes);
    const after = await guardians(lanes, N - Math.floor(N / 2), `g${lanes}b`);
    const bare = (before + after) / N;
    const cells = [bare, ms / N, ms / N - bare, cpuMs / N].map((cell) => cell.toFixed(1));
    console.log(`| ${[lanes, ...cells, rss.join(', ')].join(' | ')} |`);
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

/** A project of its own with that many tasks, and their prompts for those who compose none. */
function makeTasks(project: string, count: number, journal: 'begun' | 'none'): string[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `t${i}`;
    const task = path.join(project, '.tmp/task', id);
    mkdirSync(path.join(task, 'inputs'), { recursive: true });
    const manifest = {
      task_id: id,
      goal: 'Nothing.',
      // With a gate that looks at the answer, and at the tree.
      stages: [{ tool: 'codex', role: 'review', requires: [], min_lines: 1 }],
      scope: { allow: ['src/**'] },
    };
    writeFileSync(path.join(task, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(path.join(task, 'inputs/ask.md'), '# Goal\n\nNothing.\n');
    if (journal === 'begun') beginJournal(task);
    return id;
  });
}

/** As a dispatcher has done before it starts a guardian, which then need not read the manifest. */
function beginJournal(task: string): void {
  mkdirSync(path.join(task, 'state'));
  const budget = { v: 1, at: new Date().toISOString(), fact: 'budget', calls: 10, from: 'manifest' };
  writeFileSync(path.join(task, 'state/journal.jsonl'), `${JSON.stringify(budget)}\n`);
}

async function guardians(lanes: number, count: number, name: string): Promise<number> {
  const project = path.join(root, name);
  const ids = makeTasks(project, count, 'begun');
  const script = path.resolve('dist/run_codex.cjs');
  const one = (id: string) => {
    const task = path.join(project, '.tmp/task', id);
    const out = path.join(task, 'outputs/look.codex');
    const argv = [script, `--prompt-file=${task}/inputs/ask.md`, `--out=${out}.out`, `--err=${out}.err`];
    const flags = [`--result=${out}.call.json`, `--task=${task}/`, '--stage=codex_look', `--cwd=${project}`];
    const more = ['--timeout-ms=1800000', '--access=read'];
    const child = spawn(process.execPath, [...argv, ...flags, ...more], { env, stdio: 'ignore', detached: true });
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

async function batch(lanes: number): Promise<{ ms: number; cpuMs: number; rss: number[] }> {
  const project = path.join(root, `b${lanes}`);
  const list = path.join(root, `b${lanes}.txt`);
  writeFileSync(list, makeTasks(project, N, 'none').join('\n'));
  const began = performance.now();
  const argv = [
    '--require',
    hook,
    path.resolve('dist/tollgate.cjs'),
    'batch',
    '--from',
    list,
    `--concurrency=${lanes}`,
  ];
  const child = spawn(process.execPath, argv, { cwd: project, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const rss: number[] = [];
  const looks = [Math.ceil(N / 10), Math.ceil(N / 2), N];
  let lines = 0;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines += 1;
    if (!line.includes(': done [')) console.error(line);
    if (looks.includes(lines)) rss.push(rssMib(child.pid!));
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const ms = performance.now() - began;
  if (code !== 0) throw new Error(`the batch exited ${code}`);
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(told, 'utf8')) as NodeJS.ResourceUsage;
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, rss };
}

function rssMib(pid: number): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);
}
