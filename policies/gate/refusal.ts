// Detects refusals: short answers that begin with a statement, in the model's own words, that it cannot do the task.

import { visibleChars } from '../facts/evidence.ts';
import type { Finding } from '../facts/gate-record.ts';
import { toDo } from '../facts/next-action.ts';
import { IN_ALL_ROWS, REFUSALS, type RefusalRule } from '../verdict/refusals.ts';
import { missingSections } from './required-output.ts';

/** Visible characters. A longer answer is a report, which may contain such a sentence. */
const MAX_REFUSAL = 1200;
/** The maximum length of an opening. */
const MAX_OPENING = 400;

/** An answer with all sections is no refusal. @param redact for quotes: half a secret would not be recognised. */
export function checkRefusal(
  answer: string,
  requires: readonly string[],
  redact: (text: string) => string = asItIs,
): Finding | null {
  const rule = refusalRule(answer);
  if (rule === null || (requires.length > 0 && missingSections(answer, requires).length === 0)) return null;
  return {
    check: 'refusal',
    class: 'contract_violation',
    reason: 'refusal',
    missing: [],
    text: `the answer is a refusal: "${sentenceOf(openingOf(redact(answer)))}" [${rule.id}]`,
    next_actions: [
      toDo('state in the prompt why this is needed and what the tool may do, or use another CLI for the stage'),
    ],
  };
}

const asItIs = (text: string): string => text;

/** Returns the row that makes the answer a refusal, or null. */
export function refusalRule(answer: string): RefusalRule | null {
  if (visibleChars(answer) > MAX_REFUSAL || QUOTES.test(answer.slice(0, MAX_OPENING))) return null;
  const opening = openingOf(answer);
  if (!IN_ALL_ROWS.test(opening)) return null;
  const rule = REFUSALS.find(({ opens }) => opens.test(opening));
  return rule?.means === 'refusal' ? rule : null;
}

/** A quotation from someone else, after which the sentence continues. */
const QUOTES = /^\s*["“`][^"“”`]{1,300}["”`],? \p{Ll}/u;

/** Removes formatting, and a greeting and a heading before the opening. */
const openingOf = (answer: string): string =>
  answer
    .replace(/^(?:\s*#{1,6}[^\n]*\n)*/, '')
    .trimStart()
    .slice(0, MAX_OPENING)
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[*_`>"“”]/g, '')
    .replace(/\s+/g, ' ')
    .trimStart()
    .replace(/^(?:(?:hi|hello|hey|thanks|thank you|ok|okay|no|well|hmm|ah|oh)\b[^.!,?]{0,40}[.!,?:-]+ ?)+/i, '');

const sentenceOf = (opening: string): string => {
  const sentence = /^.{1,199}?[.!?](?= |$)/.exec(opening)?.[0] ?? opening.slice(0, 200);
  return sentence.trim();
};
