// Defines the published exit codes of every command. The child's own code is recorded and never passed on.

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
