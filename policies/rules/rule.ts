// Defines a row of the rules: what must match, what it means, and an example that proves it.

import type { ErrorClass } from '../facts/classes.ts';
import type { EvidenceSource } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';

/** What a verdict takes from a row. */
export interface Meaning {
  /** Kebab case, unique; recorded with each verdict. */
  id: string;
  class: ErrorClass;
  reason: string;
}

export interface Rule extends Meaning {
  tool: Tool | 'any';
  /** The sources for which the row may be used. */
  source: EvidenceSource | 'any';
  /** Every named condition must hold; for a list, one item must match. */
  match: Match;
  /** A time in the text is of something else: nothing resets then. */
  noReset?: true;
  /** The cases that the row exists for. It decides each of them, with all rows before it in place. */
  proof: readonly Said[];
}

/** A row as our tables have it: any tool and source unless it names them, and its conditions beside its meaning. */
export interface RuleRow extends Match, Meaning {
  tool?: Rule['tool'];
  source?: Rule['source'];
  noReset?: true;
  proof: Rule['proof'];
}

export function ruleOf(row: RuleRow): Rule {
  const { id, tool = 'any', source = 'any', class: means, reason, noReset, proof, ...match } = row;
  return { id, tool, source, match, class: means, reason, ...(noReset ? { noReset } : {}), proof };
}

export interface Match {
  /** HTTP status; `none` if no status was reported. */
  status?: readonly (number | '4xx' | '5xx' | 'none')[];
  /** The failure's code or type, in any letter case. */
  code?: readonly string[];
  /** In the failure's message and details. */
  text?: Wording;
  /** In lower case: a matching text contains one of them, else the wording is not compiled (up to 5 ms in Node). */
  needs?: readonly string[];
  /** The service asks the client to wait for less than an hour (`short`), or for an hour or more. */
  wait?: 'short' | 'long';
  /** The CLI's exit code, or the name of the signal that ended it. */
  exit?: readonly (number | string)[];
}

/** Matches text: a regular expression of ours, or a project's phrases. */
export interface Wording {
  test(text: string): boolean;
  /** For users. */
  toString(): string;
}

/** Whether a text may match, by the words it contains. @param lower the text in lower case. */
export const mayFit = (lower: string, needs: readonly string[] | undefined): boolean =>
  needs === undefined || needs.some((word) => lower.includes(word));

/** One message, or with `exit` one way to end, as a row sees it. */
export interface Said {
  message?: string;
  status?: number;
  code?: string;
  type?: string;
  details?: string;
  /** The CLI's exit code, or the name of the signal that ended it. */
  exit?: number | string;
}

/** A request that was refused, or a text without a status: the wording may decide. */
export const REFUSED = ['none', 400, 401, 403, 404, 409, 422] as const;

/** Statuses with which a limit is reported; some services use 403. */
export const LIMITED = ['none', 400, 402, 403, 412, 429, 503] as const;

const GAP = String.raw`(?:[^\n.;。；！]|\.(?=\S)){0,70}?`;

/**
 * Matches a thing and a statement about it in one sentence, in either order: "credits … depleted", "no … credits left". Both are
 * alternatives of a regular expression. They match in any letter case, at word boundaries.
 */
export function near(things: string, saying: string): RegExp {
  const thing = String.raw`(?<![\w-])(?:${things})(?![\w-])`;
  const said = String.raw`(?<![\w-])(?:${saying})(?![\w-])`;
  return new RegExp(`${thing}${GAP}${said}|${said}${GAP}${thing}`, 'i');
}
