// Defines what a row relies on in its CLI, and finds what an older version of that CLI lacks.

import { compareVersions } from '../policies/manifest/tested-versions.ts';

export interface Feature {
  kind: 'flag' | 'setting' | 'variable' | 'event';
  /** The name that the CLI uses: `--json`, `general.maxAttempts`, `turn.started`. */
  name: string;
  /** The first version that has the feature, as measured; null: the oldest tested version has it. */
  since: string | null;
  /** What happens to a call without the feature, for people to read; null: no call works without it. */
  without: string | null;
  /** The event shows that the CLI knows the tools of an MCP server, so a server without it has none. */
  listsTools?: true;
  /** Returns what an older version would make of this prompt, as half a sentence, if it must not run it; null if it may. */
  keepsFrom?(prompt: string, cwd: string): string | null;
}

/** The features that the version lacks; none if it is unknown: the CLI then reports a flag that it lacks. */
export const lacking = (features: readonly Feature[], version: string | null): Feature[] =>
  features.filter(({ since }) => version !== null && since !== null && compareVersions(version, since) < 0);

/** Whether that version reports when it knows the tools of a server; not assumed of an unknown version. */
export const listsTools = (features: readonly Feature[], version: string | null): boolean =>
  version !== null &&
  features.some((one) => one.listsTools) &&
  !lacking(features, version).some((one) => one.listsTools);

/** Removes these flags. It can only remove a flag that is one word with its value (`--a`, `--a=b`). */
export function withoutFlags(argv: readonly string[], omitted: readonly Feature[]): string[] {
  const names = omitted.filter(({ kind, without }) => kind === 'flag' && without !== null).map(({ name }) => name);
  return argv.filter((word) => !names.includes(flagOf(word)));
}

/** The flag's own name, whatever its value. */
export const flagOf = (word: string): string => /^--[^=]*/.exec(word)?.[0] ?? word;
