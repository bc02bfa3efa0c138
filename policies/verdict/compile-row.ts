// The rule that a row of a project's own is.

import { readFailure } from '../facts/engine-failure.ts';
import { compilePhrases } from '../rule/phrase.ts';
import type { Rule, Said } from '../rule/rule.ts';
import type { OwnRow } from './own-row.ts';
import { stderrFailures } from './stderr-failures.ts';

export function compileRow({ match: { text, ...rest }, proof, ...row }: OwnRow): Rule {
  const match = { ...rest, ...(text === undefined ? {} : { text: compilePhrases(text) }) };
  return { ...row, match, proof: proof.map((one) => (typeof one === 'string' ? saidIn(one) : one)) };
}

/** As a line is heard on stderr: without the heads that each CLI puts before its words. */
function saidIn(text: string): Said {
  if (text.includes('\n')) return readFailure(text);
  const [heard] = stderrFailures([text]);
  return heard?.failure ?? { message: '' };
}
