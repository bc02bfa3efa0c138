// Makes of a raw line what its writer wrote: without what a terminal does not show, a frame draws and loggers put before it.

import { tidy } from '../normal-form/tidy.ts';
import { ODD, survey } from './assess.ts';
import { headOf, isTimeAlone, type Level, mayHaveHead } from './log-head.ts';

/** A line without what a logger put before it. */
export interface Bare {
  text: string;
  /** What `survey` finds in it. */
  found: number;
  /** How much a logger put before it. */
  before: number;
  level: Level | null;
}

/** What a reader sees of a line, and without what loggers put before it: one may log what another has logged. */
export function bareOf(raw: string, maxLength: number): Bare {
  const text = raw.trimEnd();
  if (text === '') return BLANK;
  const found = text.length > maxLength ? ODD : survey(text);
  // Most lines have neither.
  if ((found & ODD) === 0 && !mayHaveHead(text)) return { text, found, before: 0, level: null };
  return withoutHeads(tidied(text, maxLength), maxLength);
}

const BLANK: Bare = { text: '', found: 0, before: 0, level: null };

function withoutHeads(line: Bare, maxLength: number): Bare {
  let { text, found, level, before } = line;
  for (let heads = 0; heads < MAX_HEADS && !isTimeAlone(text); heads += 1) {
    const head = headOf(text);
    if (head.length === 0) break;
    before += head.length;
    level = head.level ?? level;
    ({ text, found } = tidied(text.slice(head.length), maxLength));
  }
  return { text, found, before, level };
}

const MAX_HEADS = 2;

function tidied(raw: string, maxLength: number): Bare {
  const found = raw.length > maxLength ? ODD : survey(raw);
  if ((found & ODD) === 0) return { text: raw, found, before: 0, level: null };
  const text = tidy(raw, maxLength);
  return { text, found: survey(text), before: 0, level: null };
}
