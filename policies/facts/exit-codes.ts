// Defines the published exit codes of every command, and explains signals: those that stop a command, and those that end a CLI.

import type { BuiltIn } from './tools.ts';

export interface ExitCodes {
  ok: 0;
  timeout: number;
  failure: number;
  missingBinary: number;
  badInput: number;
  /** The CLI itself refused its input, and sent no request; null if it never does. */
  refusedInput: number | null;
}

/** The child's own code is recorded and never passed on. */
export const WRAPPER_EXIT = {
  gemini: { ok: 0, timeout: 13, failure: 12, missingBinary: 10, badInput: 11, refusedInput: 14 },
  copilot: { ok: 0, timeout: 33, failure: 32, missingBinary: 30, badInput: 31, refusedInput: 31 },
  codex: { ok: 0, timeout: 124, failure: 12, missingBinary: 13, badInput: 2, refusedInput: null },
  claude: { ok: 0, timeout: 43, failure: 42, missingBinary: 40, badInput: 41, refusedInput: null },
} as const satisfies Record<BuiltIn, ExitCodes>;

/** For a CLI that a project describes, unless its description sets others. */
export const OWN_EXIT = { timeout: 13, failure: 12, missingBinary: 10, badInput: 11 } as const;

export const WAIT_EXIT = { ok: 0, failure: 1, timeout: 1, badInput: 2 } as const;

export const TOLLGATE_EXIT = { ok: 0, failure: 1, badInput: 2 } as const;

/**
 * If several failures have their own codes under `--exit-by-class`, a batch exits with the first of these. What a user must do
 * comes first (sign in, raise a budget), then what time resolves, then failures of single tasks.
 */
export const EXIT_ORDER: readonly number[] = [77, 76, 75, 66, 65];

/** Shared by all commands. */
export const EXIT_BUG = 70;
export const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type StopSignal = keyof typeof EXIT_BY_SIGNAL;

/** The signal that stopped us; null if there was none yet, or if the cause was not a signal. */
export const stoppedBy = ({ reason }: AbortSignal): StopSignal | null =>
  typeof reason === 'string' && Object.hasOwn(EXIT_BY_SIGNAL, reason) ? (reason as StopSignal) : null;

/** For users: the signal's name, or the sentence that it was aborted with. */
export const stopWords = ({ reason }: AbortSignal): string => (typeof reason === 'string' ? reason : 'a signal');

export const stopExit = (stop: AbortSignal): (typeof EXIT_BY_SIGNAL)[StopSignal] =>
  EXIT_BY_SIGNAL[stoppedBy(stop) ?? 'SIGTERM'];

export const untilStopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });

const SIGNALS: Record<string, string> = {
  SIGTERM: 'a request to end',
  SIGINT: 'Ctrl-C, or a request like it',
  SIGHUP: 'its terminal went away',
  SIGKILL: 'it was ended by force, mostly by a system that is out of memory',
  SIGPIPE: 'its output was no longer read',
  SIGSEGV: 'it crashed on a bad address',
  SIGABRT: 'it crashed: it gave itself up',
  SIGBUS: 'it crashed on a bad address',
  SIGILL: 'it crashed on an instruction that this machine does not know',
  SIGFPE: 'it crashed in its arithmetic',
  SIGXCPU: 'its limit of processor time was reached',
  SIGQUIT: 'a request to end with a dump',
};

/** `SIGKILL, it was ended by force, …`. */
export const signalWords = (signal: string): string =>
  SIGNALS[signal] === undefined ? signal : `${signal}, ${SIGNALS[signal]}`;
