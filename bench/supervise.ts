// What the loop of a supervised task costs beside its calls: an iteration over CLIs that do nothing, paired in one run with the same two calls by bare wrappers.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMMANDS } from '../policies/facts/tools.ts';
import { STREAMS, type Stream } from '../test/rig/streams.ts';

const PAIRS = Number(process.argv[2] ?? 10);
/** Of the longer of two runs; the shorter one has one. */
const ITERATIONS = Number(process.argv[3] ?? 10);
const FILES = 50;
const SESSION = '00000000-0000-4000-8000-000000000001';

const root = mkdtempSync(path.join(tmpdir(), 'bench-supervise-'));
const at = (name: string) => path.join(root, name);
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${at('bin')}:${process.env.PATH}`, HOME: at('home') };
// It adds 45 to 50 ms to every process of Node 20, ours and the bare wrappers' alike.
delete env.NODE_EXTRA_CA_CERTS;

try {
  for (const folder of ['bin', 'home', 'project/src', 'project/.tmp']) mkdirSync(at(folder), { recursive: true });
  copyFileSync('test/rig/noop-cli.sh', at('bin/codex'));
  const { opens, says, succeeds }: Stream = STREAMS.gemini;
  const lines = [...opens(SESSION), ...says('{"action":"no_op"}'), ...succeeds(SESSION)];
  writeFileSync(
    at('bin/gemini'),
    `#!/bin/sh\n[ "$1" = --version ] && echo 0.61.0 && exit\nprintf '%s\\n' '${lines.join('\n')}'\n`,
    { mode: 0o755 },
  );
  writeFileSync(at('project/tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  writeFileSync(at('project/.gitignore'), '.tmp\n');
  for (let n = 0; n < FILES; n += 1) writeFileSync(at(`project/src/${n}.ts`), `export const n = ${n};\n`);
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '-qm', 'x'],
  ])
    if (spawnSync('git', words, { cwd: at('project') }).status !== 0) throw new Error(`git ${words.join(' ')} failed`);
  // What a process of ours uses itself, without its children.
  writeFileSync(
    at('cpu.cjs'),
    `process.on('exit', () => { const { user, system } = process.cpuUsage(); require('node:fs').writeFileSync(process.env.BENCH_CPU, String((user + system) / 1000)); });`,
  );
  measure();
} finally {
  rmSync(root, { recursive: true, force: true });
}

interface Pair {
  /** Milliseconds: of an iteration, of its two calls by bare wrappers, and of CPU in the loop's process an iteration. */
  iteration: number;
  calls: number;
  cpu: number;
}

function measure(): void {
  const pairs: Pair[] = [];
  // The first pair warms the caches.
  for (let n = 0; n <= PAIRS; n += 1) {
    const long = supervised(`long-${n}`, ITERATIONS);
    const calls = Array.from({ length: ITERATIONS - 1 }, (_, i) => called(`${n}-${i}`)).reduce(
      (sum, ms) => sum + ms,
      0,
    );
    const short = supervised(`short-${n}`, 1);
    const more = ITERATIONS - 1;
    pairs.push({ iteration: (long.ms - short.ms) / more, calls: calls / more, cpu: (long.cpu - short.cpu) / more });
  }
  pairs.shift();
  const of = (value: (pair: Pair) => number) => median(pairs.map(value));
  console.log(
    `Medians of ${PAIRS} pairs, ${ITERATIONS - 1} iterations each, a tree of ${FILES} files in git, node ${process.version}.\n`,
  );
  console.log(
    '| an iteration ms | its two calls by bare wrappers ms | difference ms | ratio | CPU of the loop itself ms |',
  );
  console.log('|---|---|---|---|---|');
  const cells = [
    of(({ iteration }) => iteration).toFixed(1),
    of(({ calls }) => calls).toFixed(1),
    of(({ iteration, calls }) => iteration - calls).toFixed(1),
    of(({ iteration, calls }) => iteration / calls).toFixed(2),
    of(({ cpu }) => cpu).toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

/** One run, which ends when its iterations are over. */
function supervised(id: string, iterations: number): { ms: number; cpu: number } {
  const task = at(`project/.tmp/task/${id}`);
  mkdirSync(task, { recursive: true });
  const manifest = {
    task_id: id,
    goal: 'Nothing.',
    supervise: {
      worker: { tool: 'codex' },
      reasoner: { tool: 'gemini' },
      max_iterations: iterations,
      stall_after: 1000,
    },
    budgets: { paid_call_budget: 1000 },
  };
  writeFileSync(path.join(task, 'manifest.json'), JSON.stringify(manifest));
  const cpuFile = at('cpu');
  const argv = [
    '--require',
    at('cpu.cjs'),
    path.resolve('dist/tollgate.cjs'),
    'supervise',
    id,
    '--quiet',
    '--trust-workspace',
  ];
  const ms = timed(argv, 1, { BENCH_CPU: cpuFile });
  return { ms, cpu: Number(readFileSync(cpuFile, 'utf8')) };
}

/** The same two calls, charged to a task like those. */
function called(n: string): number {
  const files = (part: string) => [
    '--out',
    `.tmp/${part}.out`,
    '--err',
    `.tmp/${part}.err`,
    '--result',
    `.tmp/${part}.json`,
  ];
  writeFileSync(at('project/.tmp/ask.md'), 'Nothing.\n');
  const call = (tool: 'codex' | 'gemini', access: string) =>
    timed([
      path.resolve('dist', `${COMMANDS[tool]}.cjs`),
      ...[
        '--prompt-file',
        '.tmp/ask.md',
        '--task',
        `bare-${n}`,
        '--new-task',
        '--stage',
        tool,
        '--access',
        access,
        '--trust-workspace',
      ],
      ...files(tool),
    ]);
  return call('codex', 'write') + call('gemini', 'read');
}

function timed(argv: string[], exit = 0, more: NodeJS.ProcessEnv = {}): number {
  const began = process.hrtime.bigint();
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const { status, stderr } = spawnSync(process.execPath, argv, {
    cwd: at('project'),
    env: { ...env, ...more },
    stdio: [...stdio],
  });
  if (status !== exit) throw new Error(`${argv.join(' ')} exited ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - began) / 1e6;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
