// Starts a command from dist for a test, as a separate process.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

export interface CommandResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd: string;
  env: Record<string, string>;
  /** The text for stdin; without it stdin is /dev/null. */
  stdin?: string;
  /** After this many ms the command is killed and its result rejects, so that no test hangs. */
  limitMs?: number;
}

/** Many times what any of them takes: on a busy machine a start alone may take 20 s. */
const LIMIT_MS = 200_000;

const DIST = path.resolve(import.meta.dirname, '../../dist');

export class RunningCommand {
  readonly pid: number;
  readonly result: Promise<CommandResult>;
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(command: string, argv: string[], { cwd, env, stdin, limitMs = LIMIT_MS }: CommandOptions) {
    const file = path.join(DIST, `${command}.cjs`);
    if (!existsSync(file)) throw new Error(`${file} is missing: npm run build`);
    const stdio = [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    this.#child = spawn(process.execPath, [file, ...argv], { cwd, env, stdio: [...stdio] });
    if (this.#child.pid === undefined) throw new Error(`${command} did not start`);
    this.pid = this.#child.pid;
    this.#child.stdin?.end(stdin);
    this.#child.stdout?.on('data', (chunk) => (this.#stdout += chunk));
    this.#child.stderr?.on('data', (chunk) => (this.#stderr += chunk));
    this.result = this.#collect(command, limitMs);
    this.result.catch(() => {}); // a test may look at it later, or never
  }

  /** What it has printed so far. */
  get stderr(): string {
    return this.#stderr;
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** Waits until it has printed this to stderr, or to the other output. */
  async says(pattern: RegExp, output: 'stdout' | 'stderr' = 'stderr'): Promise<void> {
    const said = () => pattern.test(this[output]);
    while (!said())
      await Promise.race([
        once(this.#child[output]!, 'data'),
        this.result.then((ended) => {
          if (!said()) throw new Error(`it ended without saying ${pattern}: ${ended[output]}`);
        }),
      ]);
  }

  /** As a reader that has seen enough does. */
  closeStdout(): void {
    this.#child.stdout!.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #collect(command: string, limitMs: number): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#child.kill('SIGKILL');
        reject(new Error(`${command} still ran after ${limitMs} ms\n${this.#stdout}\n${this.#stderr}`));
      }, limitMs);
      this.#child.on('exit', (code, signal) => {
        clearTimeout(limit);
        const finish = () => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
        this.#child.on('close', finish);
        // The output up to its end is read first, however late this callback runs.
        setTimeout(() => void this.#readOut().then(finish), PIPES_HELD_MS).unref();
      });
    });
  }

  /** Reads until a turn of the event loop brings nothing more. */
  async #readOut(): Promise<void> {
    for (let seen = -1; seen !== this.#stdout.length + this.#stderr.length; ) {
      seen = this.#stdout.length + this.#stderr.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** A survivor may hold the pipes open for ever; then the output so far is used. */
const PIPES_HELD_MS = 1_000;
