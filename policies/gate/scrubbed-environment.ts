// The environment of an acceptance command: it runs what a model wrote, so nothing secret and nothing of ours is in it.

import type { BuiltIn } from '../facts/tools.ts';
import { looksSecret } from '../redact/environment.ts';

/** What no program can do without; it stays, whatever a user's own pattern finds in it. */
const NEEDED = /^(?:PATH|HOME|TMPDIR|LANG|LC_\w+|TERM|TZ|USER|LOGNAME|SHELL|PWD)$/;

/** By which the variables of a CLI and of its service begin. */
const CLI_VARIABLES = {
  gemini: ['GEMINI'],
  copilot: ['COPILOT'],
  codex: ['OPENAI', 'CODEX'],
  claude: ['ANTHROPIC', 'CLAUDE'],
} as const satisfies Record<BuiltIn, readonly string[]>;

/** Ours, and the CLIs' own: the tests of a project have no business with them. */
const OURS = new RegExp(`^(?:${['TOLLGATE', ...Object.values(CLI_VARIABLES).flat()].join('|')})_`);

/**
 * @param allow names, as in `security.env_allow`; without them all that is not secret. What is secret stays out even so.
 * @param redact takes secrets out of a text: a value that it would change is one.
 */
export function scrubbed(
  environment: Readonly<Record<string, string | undefined>>,
  allow: readonly string[] | undefined,
  redact: (text: string) => string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const harmless = !OURS.test(name) && !looksSecret(name.toUpperCase(), value) && redact(value) === value;
    if (NEEDED.test(name) || (harmless && (allow === undefined || allow.includes(name)))) kept[name] = value;
  }
  return kept;
}
