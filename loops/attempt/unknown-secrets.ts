// Which secrets of a call's environment whoever settles it does not know: its words are withheld then, for they may hold them.

import { secretsOf } from '../../policies/redact/environment.ts';

/** The variables whose values are secret. */
export const secretNames = (environment: NodeJS.ProcessEnv): string[] => [
  ...new Set(secretsOf(environment).map(({ kind }) => kind)),
];

/**
 * Whoever settles a call may live in another environment than it did.
 * @returns what stands for its words, or null where all its secrets are known.
 */
export function withheldFrom(names: readonly string[], environment: NodeJS.ProcessEnv, folder: string): string | null {
  const known = new Set(secretNames(environment));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return null;
  return `[withheld: ${unknown.join(', ')} of the call's environment is not set here, so what it hides could not be taken out; as it was: ${folder}]`;
}
