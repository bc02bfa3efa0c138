// What a row relies on in its CLI, and what an older version of that CLI lacks of it.

import { compareVersions } from '../policies/manifest/tested-versions.ts';

export interface Feature {
  kind: 'flag' | 'setting' | 'variable' | 'event';
  /** As the CLI has it: `--json`, `general.maxAttempts`, `turn.started`. */
  name: string;
  /** The first version that has it, as measured; null: the oldest tested one has it. */
  since: string | null;
  /** What becomes of a call without it, for people; null: no call can do without. */
  without: string | null;
  /** What an older version would make of this prompt, as half a sentence, where no call of it may be made; null where one may. */
  keepsFrom?(prompt: string, cwd: string): string | null;
}

/** What that version lacks. A version that is not known is taken for the newest: a flag that it lacks is found out by its own words. */
export const lacking = (features: readonly Feature[], version: string | null): Feature[] =>
  features.filter(({ since }) => version !== null && since !== null && compareVersions(version, since) < 0);

/** The arguments without these flags. Only a flag that stands in one word with its value can be left out (`--a`, `--a=b`). */
export function withoutFlags(argv: readonly string[], left: readonly Feature[]): string[] {
  const names = left.filter(({ kind, without }) => kind === 'flag' && without !== null).map(({ name }) => name);
  return argv.filter((word) => !names.includes(flagOf(word)));
}

/** The flag's own name, whatever its value. */
export const flagOf = (word: string): string => /^--[^=]*/.exec(word)?.[0] ?? word;
