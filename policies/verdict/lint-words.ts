// Words each finding of lint as a sentence: which row, what is wrong with it, and how to fix it.

import type { Rule, Said } from '../rules/rule.ts';
import type { LintFact } from './lint.ts';

export function sentenceOf(found: LintFact): string {
  return `the row "${found.row.id}" ${wordsOf(found)}`;
}

function wordsOf(found: LintFact): string {
  switch (found.fact) {
    case 'asks_nothing':
      return 'asks for nothing, and so would decide everything; say under match what it looks for';
    case 'duplicate':
      return 'has the id of an earlier row; give it one of its own';
    case 'number_only':
      return `takes "${found.taken}" for a failure, but a number says nothing by itself; put words beside it, or ask for it as status or exit`;
    case 'unproven':
      return found.said === null
        ? 'has no proof; put under proof a text that it is there for'
        : `does not match its proof ${show(found.said)}; fix the row or the proof (tool, source and everything under match must hold)`;
    case 'shadowed':
      return `decides none of its proofs, for the row "${found.by.id}" before it does; put it before that one, or let that one ask for more`;
    case 'nothing_new':
      return `says nothing new: by the built-in row "${found.because.id}" its proofs are ${meaningOf(found.row)} already; leave it out, or prove it by a text that means something else without it`;
    case 'takes_over':
      return `takes over what the built-in row "${found.from.id}" is there for, ${changeOf(found.from, found.row)}; if that is not meant, let it ask for more`;
  }
}

const meaningOf = ({ class: errorClass, reason }: Rule): string => `${errorClass} (${reason})`;

function changeOf(from: Rule, to: Rule): string {
  const [before, after] = [meaningOf(from), meaningOf(to)];
  return before === after ? `and says nothing new by it (${after})` : `so that ${before} becomes ${after}`;
}

const MAX_SHOWN = 100;

/** A text from a file may contain anything; a terminal must get only printable words. */
function show({ exit, message, code, type, status }: Said): string {
  const statement = exit === undefined ? (message ?? code ?? type ?? `status ${status}`) : `exit ${exit}`;
  const line = statement.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return `"${line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line}"`;
}
