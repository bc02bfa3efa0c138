// Reads an answer's verdict: exactly PASS or FAIL, on the first line of its section "Verdict" or in its JSON property "verdict".

import type { Finding, OnFail, SaidVerdict } from '../facts/gate-record.ts';
import { keyOf } from '../text/headings.ts';
import { sectionTexts } from '../text/sections.ts';
import { readJsonAnswer } from './json-answer.ts';

/** The last verdict of the answer, as earlier ones may be quoted; null if it gives none: it is never guessed. */
export function verdictSaid(answer: string, stage: Judging['stage'] = {}): SaidVerdict | null {
  if (stage.schema !== undefined) return jsonVerdict(answer);
  return verdictIn((sectionTexts(answer, VERDICT).at(-1) ?? '').split('\n').find((line) => line.trim() !== '') ?? '');
}

function jsonVerdict(answer: string): SaidVerdict | null {
  const read = readJsonAnswer(answer);
  if (read.how !== 'read' || typeof read.value !== 'object' || read.value === null) return null;
  const { verdict } = read.value as { verdict?: unknown };
  return typeof verdict === 'string' ? verdictIn(verdict) : null;
}

function verdictIn(text: string): SaidVerdict | null {
  const word = text.replace(DRESS, '').toUpperCase();
  return word === 'PASS' || word === 'FAIL' ? word : null;
}

const VERDICT = 'Verdict';

/** Characters around the word that have no meaning. Any other letter, digit or sign (`3/5`, `≠`, `~~`, `?`) might have one. */
const DRESS = /[\s*_`[\]().:!|>#-]|\u200b|\ufe0f|\p{Extended_Pictographic}/gu;

export interface Judging {
  role: { givesVerdict: boolean; onFail: OnFail };
  stage: { schema?: object | undefined; on_fail?: 'note' | 'stop' | undefined };
}

export const owesVerdict = ({ role }: Judging): boolean => role.givesVerdict;

/** Returns what stops a stage whose verdict decides: FAIL, or no verdict where one is required. null if nothing stops it. */
export function stoppingVerdict(said: SaidVerdict | null, judging: Judging): Finding | null {
  if (judging.role.onFail !== 'stop') return null;
  if (said === 'FAIL') return VERDICT_FAIL;
  return said === null && owesVerdict(judging) ? verdictMissing(judging.stage) : null;
}

/** A missing section, or an answer that does not match its schema, is already reported. */
export function checkVerdict(answer: string, judging: Judging, found: readonly Finding[]): Finding | null {
  const finding = stoppingVerdict(verdictSaid(answer, judging.stage), judging);
  const isReported = found.some(
    ({ check, reason, missing }) => check === 'schema' || (reason === 'missing_sections' && missing.some(isVerdict)),
  );
  return finding?.reason === 'verdict_missing' && isReported ? null : finding;
}

const isVerdict = (missing: string): boolean => keyOf(missing.replace(/ \(empty\)$/, '')) === keyOf(VERDICT);

/** What readers of the report must know about a verdict that did not stop the stage. */
export function verdictNotes(said: SaidVerdict | null, judging: Judging): string[] {
  if (said === 'FAIL') return ['its verdict is FAIL'];
  const { stage } = judging;
  if (said !== null || !(stage.on_fail === 'stop' || owesVerdict(judging))) return [];
  return [`it says neither PASS nor FAIL ${verdictPlace(stage)}, and so has no verdict`];
}

export const VERDICT_FAIL: Finding = {
  check: 'verdict',
  class: 'contract_violation',
  reason: 'verdict_fail',
  missing: ['a verdict of PASS'],
  text: 'the verdict of the answer is FAIL',
  next_actions: [],
};

/** The place in an answer where the stage gives its verdict. */
export const verdictPlace = ({ schema }: Judging['stage']): string =>
  schema === undefined ? 'under a heading "Verdict"' : 'in its property "verdict"';

export const verdictMissing = ({ schema }: Judging['stage'] = {}): Finding => ({
  check: 'verdict',
  class: 'contract_violation',
  reason: 'verdict_missing',
  missing: ['a verdict of PASS or FAIL'],
  text: `the answer gives no verdict: ${schema === undefined ? 'the first line of its section "Verdict"' : 'its property "verdict"'} must be PASS or FAIL and nothing else`,
  next_actions: [],
});
