// Defines the rules for how a CLI ended without a clear message. They include our wrappers' codes, for logs with only those.

import type { ErrorClass } from '../facts/classes.ts';
import { WRAPPER_EXIT } from '../facts/exit-codes.ts';
import type { Match, Rule, RuleRow } from './rule.ts';

const { gemini, copilot, codex, claude } = WRAPPER_EXIT;

/** A row for one way to end; the first of `exit` proves it. */
const ended = <R extends string>(
  id: string,
  tool: Rule['tool'],
  exit: NonNullable<Match['exit']>,
  means: ErrorClass,
  reason: R,
) => ({ id, tool, source: 'exit_code', exit, class: means, reason, proof: [{ exit: exit[0]! }] }) as const;

export const EXIT_RULES = [
  ended('exit-gemini-auth', 'gemini', [41], 'auth', 'not_signed_in'),
  ended('exit-gemini-input', 'gemini', [42, gemini.refusedInput, gemini.badInput], 'tooling', 'bad_input'),
  ended('exit-gemini-config', 'gemini', [52, 54], 'tooling', 'config'),
  ended('exit-gemini-sandbox', 'gemini', [44], 'tooling', 'sandbox'),
  ended('exit-gemini-turns', 'gemini', [53], 'contract_violation', 'max_turns'),
  ended('exit-gemini-trust', 'gemini', [55], 'tooling', 'untrusted'),
  ended('exit-gemini-missing', 'gemini', [gemini.missingBinary], 'tooling', 'binary_missing'),
  ended('exit-gemini-timeout', 'gemini', [gemini.timeout], 'transient', 'timeout'),
  ended('exit-copilot-missing', 'copilot', [copilot.missingBinary], 'tooling', 'binary_missing'),
  ended('exit-copilot-input', 'copilot', [copilot.badInput], 'tooling', 'bad_input'),
  ended('exit-copilot-timeout', 'copilot', [copilot.timeout], 'transient', 'timeout'),
  ended('exit-codex-missing', 'codex', [codex.missingBinary], 'tooling', 'binary_missing'),
  // codex's own code for a usage error, and the wrapper's code for bad input.
  ended('exit-codex-usage', 'codex', [codex.badInput], 'tooling', 'bad_flag'),
  // Rust's own code for a panic.
  ended('exit-codex-panic', 'codex', [101], 'tooling', 'crashed'),
  ended('exit-claude-missing', 'claude', [claude.missingBinary], 'tooling', 'binary_missing'),
  ended('exit-claude-input', 'claude', [claude.badInput], 'tooling', 'bad_input'),
  ended('exit-claude-timeout', 'claude', [claude.timeout], 'transient', 'timeout'),
  ended('exit-timeout', 'any', [codex.timeout], 'transient', 'timeout'),
  ended('exit-not-run', 'any', [126, 127], 'tooling', 'binary_missing'),
  ended(
    'exit-crashed',
    'any',
    ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGSYS', 132, 133, 134, 135, 136, 139, 159],
    'tooling',
    'crashed',
  ),
  // A limit of the shell for the size of a file (ulimit -f): the same call would end the same way.
  ended('exit-file-size', 'any', ['SIGXFSZ', 153], 'tooling', 'disk_full'),
  ended('exit-killed', 'any', ['SIGKILL', 137], 'transient', 'killed'),
  ended(
    'exit-interrupted',
    'any',
    ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE', 'SIGQUIT', 129, 130, 131, 141, 143],
    'transient',
    'interrupted',
  ),
] as const satisfies readonly RuleRow[];
