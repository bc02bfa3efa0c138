// Represents one running fake CLI for the test that controls it.

import type { Socket } from 'node:net';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { isAlive, isMarked } from './survivors.ts';
import { waitWhile } from './wait-while.ts';

/** How the fake was called. */
export interface FakeReport {
  tool: BuiltIn;
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  pid: number;
  /** The start of its process, in milliseconds since 1970. */
  began: number;
  /** `text` contains the first MiB; `sha256` is over all bytes. */
  stdin: { kind: 'file' | 'pipe' | 'null' | 'terminal' | 'closed'; bytes: number; sha256: string | null; text: string };
}

export type FakeCommand =
  | { do: 'write'; to: 'stdout' | 'stderr'; text: string }
  | { do: 'write'; to: 'stdout' | 'stderr'; base64: string }
  /** Writes this many bytes of a repeated line, as fast as the other end reads them. */
  | { do: 'fill'; to: 'stdout' | 'stderr'; bytes: number; line?: string }
  | { do: 'save'; file: string; text: string }
  /** `detached` gives the child a separate session; `env` replaces the whole environment. */
  | { do: 'spawn'; argv: string[]; detached?: boolean; env?: Record<string, string> }
  /** Runs to its end, with its output in a file. */
  | { do: 'run'; argv: string[]; to: string }
  /** Without `run` the signals are ignored; each is reported to the test. */
  | { do: 'trap'; signals: NodeJS.Signals[]; run?: FakeCommand[] }
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'exit'; code: number }
  | { do: 'die'; signal: NodeJS.Signals }
  /** Prints a folder of test/captures and ends as it ended. */
  | { do: 'replay'; folder: string };

/** The outcome of a command if the fake ended before it completed the command. */
const GONE = Symbol('gone');

export class FakeCall {
  readonly report: FakeReport;
  /** The signals that a trap has caught so far. */
  readonly signals: string[] = [];
  /** Resolves when the fake has ended, in any way. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (outcome: unknown) => void>();
  readonly #watchers: { signal: string; resolve: () => void }[] = [];

  constructor(report: FakeReport, socket: Socket, marker: string) {
    this.report = report;
    this.#socket = socket;
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    // The kernel closes the files of a process before the process is gone. In a sandbox its pid is another one.
    const pidIsOurs = isMarked(report.pid, marker);
    this.gone = closed.then(() => waitWhile(() => pidIsOurs && isAlive(report.pid)));
  }

  /** Carries out the commands in order; returns the outcome of the last one once it is done, or null if the fake ended. */
  async tell(...commands: readonly FakeCommand[]): Promise<{ pid?: number } | null> {
    const last = (await this.#carryOut(commands)).at(-1);
    return last === GONE ? null : ((last ?? null) as { pid?: number } | null);
  }

  /**
   * The same, for a fake that another process may end meanwhile.
   * @returns whether it carried out all commands.
   */
  async did(...commands: readonly FakeCommand[]): Promise<boolean> {
    return (await this.#carryOut(commands)).every((outcome) => outcome !== GONE);
  }

  #carryOut(commands: readonly FakeCommand[]): Promise<unknown[]> {
    const outcomes = commands.map((command) => {
      const n = this.#waiting.size + 1;
      const outcome = new Promise((resolve) => this.#waiting.set(n, resolve));
      this.#socket.write(`${JSON.stringify({ n, command })}\n`);
      return Promise.race([outcome, this.gone.then(() => GONE)]);
    });
    return Promise.all(outcomes);
  }

  /** Spawns a child and returns its pid. */
  async spawn(argv: string[], options: { detached?: boolean; env?: Record<string, string> } = {}): Promise<number> {
    const outcome = await this.tell({ do: 'spawn', argv, ...options });
    if (!outcome?.pid) throw new Error(`the fake could not spawn ${argv.join(' ')}`);
    return outcome.pid;
  }

  /** Waits until a trap has caught this signal. */
  caught(signal: NodeJS.Signals): Promise<void> {
    if (this.signals.includes(signal)) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ signal, resolve }));
  }

  /** Closes the connection, as if the test had died; the fake ends. */
  hangUp(): void {
    this.#socket.destroy();
  }

  /** For the rig: receives a message of the fake. */
  hear(message: { n?: number; outcome?: unknown; signal?: string }): void {
    if (message.n !== undefined) this.#waiting.get(message.n)?.(message.outcome);
    if (message.signal === undefined) return;
    this.signals.push(message.signal);
    for (const { signal, resolve } of this.#watchers) if (signal === message.signal) resolve();
  }
}
