// A row of the rules: what must be found, what it means, and a thing said that proves it.

import type { ErrorClass } from '../facts/classes.ts';
import type { EvidenceSource } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';

export interface Rule {
  /** Kebab case, unique; recorded with each verdict. */
  id: string;
  tool: Tool | 'any';
  /** Where the row may be used. */
  source: EvidenceSource | 'any';
  /** Everything that is named must hold; of a list, one. */
  match: Match;
  class: ErrorClass;
  reason: string;
  /** What it is there for: each of these it decides, with all rows before it in place. */
  proof: readonly Said[];
}

export interface Match {
  /** HTTP status; `none` where nobody said one. */
  status?: readonly (number | '4xx' | '5xx' | 'none')[];
  /** The failure's code or type, in any case of letters. */
  code?: readonly string[];
  /** In the failure's words and details. */
  text?: Wording;
  /** In lower case: each text that fits has one of them. Others need not wait until Node has compiled the wording, which takes up to 5 ms. */
  needs?: readonly string[];
  /** The service asks to wait for less than an hour, or for an hour and more. */
  wait?: 'short' | 'long';
  /** The CLI's exit code, or the name of the signal that ended it. */
  exit?: readonly (number | string)[];
}

/** Finds words: a regular expression of ours, or a project's phrases. */
export interface Wording {
  test(text: string): boolean;
  /** For a person. */
  toString(): string;
}

/** Whether a text may fit by its words. @param lower the text in lower case */
export const mayFit = (lower: string, needs: readonly string[] | undefined): boolean =>
  needs === undefined || needs.some((word) => lower.includes(word));

/** One thing that was said, or with `exit` one way to end, as a row sees it. */
export interface Said {
  message?: string;
  status?: number;
  code?: string;
  type?: string;
  details?: string;
  /** The CLI's exit code, or the name of the signal that ended it. */
  exit?: number | string;
}

/** A request that was refused, or a text that says no status: wording may decide. */
export const REFUSED = ['none', 400, 401, 403, 404, 409, 422] as const;

/** A limit is told with these; some services use 403 for it. */
export const LIMITED = ['none', 400, 402, 403, 429, 503] as const;
