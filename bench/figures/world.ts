// A folder to measure in: no-op CLIs on the PATH, a home of its own, and processes that are timed from outside.

import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOLS } from '../../policies/facts/tools.ts';

/** Each figure has one, and removes it. */
export class BenchWorld {
  readonly root = mkdtempSync(path.join(tmpdir(), 'bench-'));
  readonly bin = path.join(this.root, 'bin');
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    mkdirSync(this.bin);
    for (const tool of TOOLS) {
      copyFileSync('test/rig/noop-cli.sh', path.join(this.bin, tool));
      chmodSync(path.join(this.bin, tool), 0o755);
    }
    // Sign-in is not looked for, since the CLI is none.
    this.env = {
      ...process.env,
      PATH: `${this.bin}:${process.env.PATH}`,
      HOME: this.root,
      XDG_STATE_HOME: `${this.root}/state`,
    };
    // It adds 45 to 50 ms to every process of Node 20, on both sides.
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

  /** Milliseconds from its start to its end, as its parent sees them. Throws unless it exits with `exit`. */
  timed(command: string, argv: readonly string[], exit = 0, options: SpawnSyncOptions = {}): number {
    const began = performance.now();
    const { status, stderr } = spawnSync(command, argv, {
      cwd: this.root,
      env: this.env,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...options,
    });
    const ms = performance.now() - began;
    if (status !== exit) throw new Error(`${command} ${argv.join(' ')} exited ${status}, not ${exit}: ${stderr}`);
    return ms;
  }

  /** What it says on stderr. */
  said(command: string, argv: readonly string[]): string {
    const { status, stderr } = spawnSync(command, argv, { cwd: this.root, env: this.env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${argv.join(' ')} exited ${status}: ${stderr}`);
    return stderr;
  }

  node(argv: readonly string[], exit = 0): number {
    return this.timed(process.execPath, argv, exit);
  }

  bare = (): number => this.node(['bare.cjs']);

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A command of this build. */
export const command = (name: string): string => path.resolve('dist', `${name}.cjs`);

/** What ours is measured beside, and what makes no call dearer than the writing that is promised. */
export const peer = (name: string): string => path.resolve('bench/peers', name);

/** Of `node-wrapper.cjs` and `node-run.cjs`, which say what that is. */
export const PROMISED = '`node`, the same promised work';

/** The same call as of `ONE_CALL`, for `node-wrapper.cjs`. */
export const promisedCall = (tool: string): string[] => [
  ...[peer('node-wrapper.cjs'), tool],
  ...['ask.md', 'n.out', 'n.err', 'n.json'],
];

/** The flags of one call in a world. */
export const ONE_CALL: readonly string[] = [
  '--prompt-file=ask.md',
  '--out=o.out',
  '--err=o.err',
  '--result=o.json',
  '--trust-workspace',
];
