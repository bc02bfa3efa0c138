// The verdict that an answer gives in its section "Verdict": a line that is PASS or FAIL and nothing else.

import type { Finding } from '../gate.ts';
import { sectionText } from '../markdown/sections.ts';

/** null where it gives none. */
export function verdictSaid(answer: string): 'PASS' | 'FAIL' | null {
  const first = (sectionText(answer, 'Verdict') ?? '').split('\n').find((line) => line.trim() !== '') ?? '';
  const word = first.replace(/[^A-Za-z]/g, '').toUpperCase();
  return word === 'PASS' || word === 'FAIL' ? word : null;
}

/** A stage that judges the whole, and judges it bad, is not done. */
export function checkVerdict(answer: string): Finding | null {
  if (verdictSaid(answer) !== 'FAIL') return null;
  return {
    check: 'verdict',
    class: 'contract_violation',
    reason: 'verdict_fail',
    missing: ['a verdict of PASS'],
    text: 'the answer judges that the acceptance criteria are not met: its verdict is FAIL',
    next_actions: ['read the findings of its answer, and mend what they name'],
  };
}
