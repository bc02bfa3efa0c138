// Compiles a project's row into a rule.

import { readFailure } from '../facts/engine-failure.ts';
import { compilePhrases } from '../rules/phrase.ts';
import type { Rule, Said } from '../rules/rule.ts';
import type { OwnRow } from './own-row.ts';
import { stderrFailures } from './stderr-failures.ts';

export function compileRow({ match: { text, ...rest }, proof, ...row }: OwnRow): Rule {
  const match = { ...rest, ...(text === undefined ? {} : { text: compilePhrases(text) }) };
  return { ...row, match, proof: proof.map((one) => (typeof one === 'string' ? saidIn(one) : one)) };
}

/** Reads the text as a line of stderr is read: without the prefixes that each CLI adds. */
function saidIn(text: string): Said {
  if (text.includes('\n')) return readFailure(text);
  const [heard] = stderrFailures([text]);
  return heard?.failure ?? { message: '' };
}
