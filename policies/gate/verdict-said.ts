// The verdict that an answer gives in its section "Verdict": a line that is PASS or FAIL and nothing else.

import type { Finding, SaidVerdict } from '../gate.ts';
import { sectionTexts } from '../markdown/sections.ts';

/** null where it gives none; never guessed. Of several the last counts: those before it may be quoted from other answers. */
export function verdictSaid(answer: string): SaidVerdict | null {
  const first = (sectionTexts(answer, 'Verdict').at(-1) ?? '').split('\n').find((line) => line.trim() !== '') ?? '';
  const word = first.replace(DRESS, '').toUpperCase();
  return word === 'PASS' || word === 'FAIL' ? word : null;
}

/** What may stand around the word and says nothing; any other letter, digit or sign (`3/5`, `≠`, `~~`, `?`) might. */
const DRESS = /[\s*_`[\]().:!|>#-]|\u200b|\ufe0f|\p{Extended_Pictographic}/gu;

/** A stage whose verdict decides, and which judges it bad, is not done. */
export const checkVerdict = (answer: string): Finding | null => (verdictSaid(answer) === 'FAIL' ? VERDICT_FAIL : null);

export const VERDICT_FAIL: Finding = {
  check: 'verdict',
  class: 'contract_violation',
  reason: 'verdict_fail',
  missing: ['a verdict of PASS'],
  text: 'the answer judges what it was to judge as not good enough: its verdict is FAIL',
  next_actions: [],
};
