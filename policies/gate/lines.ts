// Checks that an answer has the required number of lines with text.

import type { Finding } from '../facts/gate-record.ts';
import { linesOf, saysSomething } from '../text/lines.ts';

export function checkLines(answer: string, minLines: number): Finding | null {
  let lines = 0;
  for (const { text } of linesOf(answer)) {
    if (lines >= minLines) break;
    if (saysSomething(text)) lines += 1;
  }
  if (lines >= minLines) return null;
  return {
    check: 'lines',
    class: 'contract_violation',
    reason: 'too_short',
    missing: [`at least ${count(minLines)} with text`],
    text: `the answer has ${count(lines)} with text; at least ${minLines} must be there`,
    next_actions: [],
  };
}

const count = (lines: number): string => (lines === 1 ? '1 line' : `${lines} lines`);
