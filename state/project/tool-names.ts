// Checks whether a CLI of that name exists: a built-in one, or one that the project describes.

import { isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { nearest } from '../../policies/text/nearest.ts';

/** Why there is none, as half a sentence; null if there is one. @param more Other words that are permitted too. */
export function unknownTool(name: string, described: readonly string[], more: readonly string[] = []): string | null {
  const known: readonly string[] = [...more, ...TOOLS, ...described];
  if (known.includes(name)) return null;
  const near = nearest(name, known);
  return `must be one of ${known.join(', ')}${near === null ? '' : `; did you mean ${near}?`}`;
}

/** Why it cannot be called, in the same form: its description is wrong. */
export const unsoundTool = (name: string, unsound: Readonly<Record<string, string>>): string | null =>
  Object.hasOwn(unsound, name) ? `is ${name}, whose description is wrong: ${unsound[name]}` : null;

/** Why it may not be called, in the same form: its description or its prefix names a program. */
export const untrustedTool = (
  name: string,
  prefixes: Readonly<Record<string, readonly string[]>>,
  trust: 'trusted' | 'untrusted',
): string | null =>
  trust === 'trusted' || (isBuiltIn(name) && !Object.hasOwn(prefixes, name))
    ? null
    : `is ${name}, ${isBuiltIn(name) ? 'to which tollgate.yaml gives a prefix' : 'which tollgate.yaml describes'}, and that counts only in a trusted workspace; use --trust-workspace, or trust it for good with tollgate trust`;
