// Makes the environments of acceptance commands and of runs beside a fleet: without secrets that a model's code must not have.

import type { BuiltIn } from '../facts/tools.ts';
import { looksSecret } from '../redact/environment.ts';

/** Variables that every program needs. They remain, whatever a user's own pattern matches in them. */
const NEEDED = /^(?:PATH|HOME|TMPDIR|LANG|LC_\w+|TERM|TZ|USER|LOGNAME|SHELL|PWD)$/;

const CLI_VARIABLES = {
  gemini: ['GEMINI'],
  copilot: ['COPILOT'],
  codex: ['OPENAI', 'CODEX'],
  claude: ['ANTHROPIC', 'CLAUDE'],
} as const satisfies Record<BuiltIn, readonly string[]>;

/** Our variables, and those of the CLIs. A project's tests do not need them. */
const OURS = new RegExp(`^(?:${['TOLLGATE', ...Object.values(CLI_VARIABLES).flat()].join('|')})_`);

/**
 * @param allow names, as in `security.env_allow`; without it, everything that is not secret. Secrets are excluded in both cases.
 * @param redact removes secrets from a text. A value that it would change is a secret.
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

/** For what runs beside a fleet: no CLI and no acceptance command of a task may have the database. */
export function withoutDatabase(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TOLLGATE_DATABASE: _, PGPASSWORD: __, PGPASSFILE: ___, ...others } = environment;
  return others;
}
