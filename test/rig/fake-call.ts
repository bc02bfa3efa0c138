// One running fake CLI, as the test that steers it sees it.

import type { Socket } from 'node:net';
import type { BuiltIn } from '../../policies/facts/tools.ts';

/** How the fake was called. */
export interface FakeReport {
  tool: BuiltIn;
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  pid: number;
  /** When its process began, in milliseconds since 1970. */
  began: number;
  /** `text` holds the first MiB; `sha256` is over all bytes. */
  stdin: { kind: 'file' | 'pipe' | 'null' | 'terminal' | 'closed'; bytes: number; sha256: string | null; text: string };
}

export type FakeCommand =
  | { do: 'write'; to: 'stdout' | 'stderr'; text: string }
  | { do: 'write'; to: 'stdout' | 'stderr'; base64: string }
  /** That many bytes of a repeated line, as fast as the other end takes them. */
  | { do: 'fill'; to: 'stdout' | 'stderr'; bytes: number; line?: string }
  | { do: 'save'; file: string; text: string }
  /** `detached` gives the child a session of its own; `env` replaces the whole environment. */
  | { do: 'spawn'; argv: string[]; detached?: boolean; env?: Record<string, string> }
  /** To its end, with what it says in a file. */
  | { do: 'run'; argv: string[]; to: string }
  /** Without `run` the signals are ignored; each is told to the test. */
  | { do: 'trap'; signals: NodeJS.Signals[]; run?: FakeCommand[] }
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'exit'; code: number }
  | { do: 'die'; signal: NodeJS.Signals }
  /** Prints a folder of test/captures and ends as it ended. */
  | { do: 'replay'; folder: string };

/** The outcome of a command that the fake did not live to carry out. */
const GONE = Symbol('gone');

export class FakeCall {
  readonly report: FakeReport;
  /** Signals that a trap has caught so far. */
  readonly signals: string[] = [];
  /** Settles when the fake is gone, however it went. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (outcome: unknown) => void>();
  readonly #watchers: { signal: string; resolve: () => void }[] = [];

  constructor(report: FakeReport, socket: Socket) {
    this.report = report;
    this.#socket = socket;
    this.gone = new Promise((resolve) => socket.on('close', () => resolve()));
  }

  /** Carries the commands out in order; gives the last one's outcome once it is done, or null if the fake ended. */
  async tell(...commands: readonly FakeCommand[]): Promise<{ pid?: number } | null> {
    const last = (await this.#carryOut(commands)).at(-1);
    return last === GONE ? null : ((last ?? null) as { pid?: number } | null);
  }

  /** The same, for a fake that something may end meanwhile: whether it did all of that. */
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

  /** Spawns a child and gives its pid. */
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

  /** For the rig: a message of the fake. */
  hear(message: { n?: number; outcome?: unknown; signal?: string }): void {
    if (message.n !== undefined) this.#waiting.get(message.n)?.(message.outcome);
    if (message.signal === undefined) return;
    this.signals.push(message.signal);
    for (const { signal, resolve } of this.#watchers) if (signal === message.signal) resolve();
  }
}
