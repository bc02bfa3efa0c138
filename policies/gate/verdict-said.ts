// The verdict that an answer gives in its section "Verdict": a line that is PASS or FAIL and nothing else.

import type { Finding, SaidVerdict } from '../facts/gate-record.ts';
import type { ResolvedRole } from '../manifest/resolved-role.ts';
import { keyOf } from '../markdown/names.ts';
import { sectionTexts } from '../markdown/sections.ts';

/** null where it gives none; never guessed. Of several the last counts: those before it may be quoted from other answers. */
export function verdictSaid(answer: string): SaidVerdict | null {
  const first = (sectionTexts(answer, VERDICT).at(-1) ?? '').split('\n').find((line) => line.trim() !== '') ?? '';
  const word = first.replace(DRESS, '').toUpperCase();
  return word === 'PASS' || word === 'FAIL' ? word : null;
}

const VERDICT = 'Verdict';

/** What may stand around the word and says nothing; any other letter, digit or sign (`3/5`, `≠`, `~~`, `?`) might. */
const DRESS = /[\s*_`[\]().:!|>#-]|\u200b|\ufe0f|\p{Extended_Pictographic}/gu;

export interface Judging {
  role: Pick<ResolvedRole, 'requires' | 'onFail'>;
  stage: { schema?: object | undefined; on_fail?: 'note' | 'stop' | undefined };
}

/** Its answer must have a section "Verdict"; one that is JSON has no sections. */
export const owesVerdict = ({ role, stage }: Judging): boolean =>
  stage.schema === undefined && role.requires.some((name) => keyOf(name) === keyOf(VERDICT));

/** What stops a stage whose verdict decides: FAIL, and no verdict where one is owed. null: nothing does. */
export function stoppingVerdict(said: SaidVerdict | null, judging: Judging): Finding | null {
  if (judging.role.onFail !== 'stop' || judging.stage.schema !== undefined) return null;
  if (said === 'FAIL') return VERDICT_FAIL;
  return said === null && owesVerdict(judging) ? VERDICT_MISSING : null;
}

/** That the section is missing or empty is said already. */
export function checkVerdict(answer: string, judging: Judging, found: readonly Finding[]): Finding | null {
  const finding = stoppingVerdict(verdictSaid(answer), judging);
  const isSaid = found.some(({ reason, missing }) => reason === 'missing_sections' && missing.some(isVerdict));
  return finding === VERDICT_MISSING && isSaid ? null : finding;
}

const isVerdict = (missing: string): boolean => keyOf(missing.replace(/ \(empty\)$/, '')) === keyOf(VERDICT);

/** What whoever reads the report must know of a verdict that stopped nothing. */
export function verdictNotes(said: SaidVerdict | null, judging: Judging): string[] {
  if (said === 'FAIL') return ['its verdict is FAIL'];
  const isAsked = judging.stage.schema === undefined && (judging.stage.on_fail === 'stop' || owesVerdict(judging));
  return said === null && isAsked
    ? ['it says neither PASS nor FAIL under a heading "Verdict", and so has no verdict']
    : [];
}

export const VERDICT_FAIL: Finding = {
  check: 'verdict',
  class: 'contract_violation',
  reason: 'verdict_fail',
  missing: ['a verdict of PASS'],
  text: 'the answer judges what it was to judge as not good enough: its verdict is FAIL',
  next_actions: [],
};

export const VERDICT_MISSING: Finding = {
  check: 'verdict',
  class: 'contract_violation',
  reason: 'verdict_missing',
  missing: ['a verdict of PASS or FAIL'],
  text: 'the answer gives no verdict: the first line of its section "Verdict" must be PASS or FAIL and nothing else',
  next_actions: [],
};
