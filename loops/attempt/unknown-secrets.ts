// Finds a call's secrets that the process that settles it does not know; its output is then withheld, as it may hold them.

import { secretsOf } from '../../policies/redact/environment.ts';

/** The variables whose values are secret. */
export const secretNames = (environment: NodeJS.ProcessEnv): string[] => [
  ...new Set(secretsOf(environment).map(({ kind }) => kind)),
];

/**
 * The process that settles a call may have another environment than the call had.
 * @returns the text that replaces the CLI's words, or null if all the call's secrets are known.
 */
export function withheldFrom(names: readonly string[], environment: NodeJS.ProcessEnv, folder: string): string | null {
  const known = new Set(secretNames(environment));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return null;
  return `[withheld: ${unknown.join(', ')} of the call's environment is not set here, so what it hides could not be taken out; as it was: ${folder}]`;
}
