// Provides a project for measurements: CLIs that do nothing, a separate home, processes timed from outside, and tasks.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOLS } from '../../policies/facts/tools.ts';

export class BenchWorld {
  /** Below the home: the cache of compiled code is never kept below the working folder. */
  readonly root = path.join(mkdtempSync(path.join(tmpdir(), 'bench-')), 'project');
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    const bin = path.join(this.root, 'bin');
    for (const tool of TOOLS) this.write(`bin/${tool}`, readFileSync('test/rig/noop-cli.sh', 'utf8'), 0o755);
    const own = { PATH: `${bin}:${process.env.PATH}`, HOME: path.dirname(this.root) };
    this.env = { ...process.env, ...own };
    // The variable adds 45 to 50 ms to every process of Node 20, on both sides.
    delete this.env.NODE_EXTRA_CA_CERTS;
    this.write('ask.md', 'Say hello.\n');
    this.write('bare.cjs', '');
  }

  write(name: string, text: string, mode = 0o644): string {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  }

  /** Returns the milliseconds from start to end, as its parent sees them. Throws unless it exits with `exit`. */
  timed(command: string, argv: readonly string[], exit = 0, cwd = this.root): number {
    const began = performance.now();
    const { status, stderr } = spawnSync(command, argv, { cwd, env: this.env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ms = performance.now() - began;
    if (status !== exit) throw new Error(`${command} ${argv.join(' ')} exited ${status}, not ${exit}: ${stderr}`);
    return ms;
  }

  node = (argv: readonly string[], exit = 0): number => this.timed(process.execPath, argv, exit);
  bare = (): number => this.node(['bare.cjs']);

  dispose(): void {
    rmSync(path.dirname(this.root), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Measures in a world that is removed afterwards. */
export async function inWorld<Measured>(measure: (world: BenchWorld) => Promise<Measured>): Promise<Measured> {
  const world = new BenchWorld();
  try {
    return await measure(world);
  } finally {
    world.dispose();
  }
}

/** Returns the path of a command of this build. */
export const command = (name: string): string => path.resolve('dist', `${name}.cjs`);

/** The flags of one call in a world. */
export const ONE_CALL: readonly string[] = [
  ...['--prompt-file=ask.md', '--out=o.out', '--err=o.err', '--result=o.json', '--trust-workspace'],
];

/**
 * The source of a script that Node preloads. At the end of the process it computes the peak memory in KiB.
 * Linux includes in `maxRSS` the memory that the parent held at the fork, which would be this process's memory. `VmHWM` is the
 * process's own.
 */
export const PEAK_KIB = `(() => {
  try {
    return Number(/^VmHWM:\\s+(\\d+)/m.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
})()`;

/** @returns `flags`: the arguments of node before the script; `last`: the use of the process that ended last, without its children. */
export function usageIn(world: BenchWorld) {
  const file = path.join(world.root, 'usage.json');
  const usage = `JSON.stringify({ kib: ${PEAK_KIB}, ...process.resourceUsage() })`;
  const write = `require('node:fs').writeFileSync(${JSON.stringify(file)}, ${usage})`;
  return {
    flags: ['--require', world.write('usage.cjs', `process.on('exit', () => ${write});\n`)],
    last() {
      const told = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ResourceUsage & { kib: number };
      return { mib: told.kib / 1024, cpuMs: (told.userCPUTime + told.systemCPUTime) / 1000 };
    },
  };
}

const STAGE = { tool: 'codex', role: 'brief', requires: [], min_lines: 0 };

/**
 * @param manifest the fields of the manifest besides its one stage.
 * @returns the id of the task.
 */
export function makeTask(world: BenchWorld, id: string, { project = '.', manifest = {} as object } = {}): string {
  const whole = { task_id: id, goal: 'Nothing.', stages: [STAGE], ...manifest };
  world.write(`${project}/.tmp/task/${id}/manifest.json`, JSON.stringify(whole));
  return id;
}

/** Words that occur nowhere else in the files of a task. */
export const GOOD = 'one-that-is-done';
export const BAD = 'one-that-failed';

const FAILING = `#!/bin/sh
[ "$1" = --version ] && echo codex-cli 0.169.0 && exit
echo "error: no such model" >&2
exit 1
`;

/** The files of a task that a report and the console read. */
const READ = ['manifest.json', 'state/journal.jsonl', 'state/last_failure.json'];

/** Copies two tasks that were run: nine of ten are done; in the tenth the CLI failed, as all later calls of codex do. */
export function fillWithTasks(world: BenchWorld, count: number): void {
  const tasks = path.join(world.root, '.tmp/task');
  const run = (id: string, exit: number) => {
    world.node([command('tollgate'), 'run', makeTask(world, id), '--quiet'], exit);
    return READ.map((name) => ({ name, file: path.join(tasks, id, name) }))
      .filter(({ file }) => existsSync(file))
      .map(({ name, file }) => ({ name, text: readFileSync(file, 'utf8').replaceAll(id, '@ID@') }));
  };
  const good = run(GOOD, 0);
  world.write('bin/codex', FAILING, 0o755);
  const bad = run(BAD, 1);
  for (let n = 0; n < count; n += 1) {
    mkdirSync(path.join(tasks, `t${n}`, 'state'), { recursive: true });
    for (const { name, text } of n % 10 === 0 ? bad : good)
      writeFileSync(path.join(tasks, `t${n}`, name), text.replaceAll('@ID@', `t${n}`));
  }
}
