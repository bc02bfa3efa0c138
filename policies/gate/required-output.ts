// Checks what a stage must deliver: the sections and lines of its answer, and a change in the tree.

import type { Change, Finding } from '../facts/gate-record.ts';
import { counted, firstNames } from '../text/display.ts';
import { bookOf, type Heading, keyOf, outlineOf, WEAK } from '../text/headings.ts';
import { linesOf, readingsOf, saysSomething } from '../text/markdown.ts';
import { headingsOf } from '../text/sections.ts';

export function checkSections(answer: string, requires: readonly string[]): Finding | null {
  const missing = missingSections(answer, requires);
  if (missing.length === 0) return null;
  const plural = missing.length === 1 ? 'section' : 'sections';
  return {
    check: 'sections',
    class: 'contract_violation',
    reason: 'missing_sections',
    missing,
    text: `the answer lacks the ${plural} ${missing.map((name) => `"${name}"`).join(', ')}; ${headingsFound(answer)}`,
    next_actions: [],
  };
}

const MOST_FOUND = 8;
const MAX_TITLE = 60;

/** The headings that the answer has instead. */
function headingsFound(answer: string): string {
  const titles = headingsOf(answer).map(
    (title) => `"${title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title}"`,
  );
  if (titles.length === 0) return 'it has no headings';
  return `its headings are ${firstNames(titles, MOST_FOUND)}`;
}

/** In the order of `requires`; `Findings (empty)` for a heading without text. */
export function missingSections(answer: string, requires: readonly string[]): string[] {
  let least: string[] | null = null;
  for (const reading of readingsOf(answer)) {
    const missing = missingIn(reading, requires);
    if (least === null || missing.length < least.length) least = missing;
    if (missing.length === 0) break;
  }
  return least ?? [];
}

function missingIn(text: string, requires: readonly string[]): string[] {
  const wanted = new Set(requires.map(keyOf).filter((key) => key !== ''));
  const empty = new Set<string>();
  let open: { key: string; level: number } | null = null;
  for (const { heading, saysSomething } of outlineOf(text, bookOf(requires, 'model'))) {
    if (wanted.size === 0) break;
    if (isText(heading)) {
      if (!saysSomething) continue;
      if (open !== null) wanted.delete(open.key);
      open = null;
      continue;
    }
    if (open !== null && isBelow(heading, open.level)) wanted.delete(open.key);
    open = null;
    const { found, level } = heading;
    if (found === null || !wanted.has(found.key)) continue;
    empty.add(found.key);
    if (found.runIn === '') open = { key: found.key, level };
    else wanted.delete(found.key);
  }
  const asTold = (name: string) => (empty.has(keyOf(name)) ? `${name} (empty)` : name);
  return requires.filter((name) => wanted.has(keyOf(name))).map(asTold);
}

/** A bold line that is not a required heading is text. */
const isText = (heading: Heading | null): heading is null =>
  heading === null || (heading.form === 'bold' && heading.found === null);

/** A heading below a section's own belongs to its text. If one answer uses two heading styles, they count as the same level. */
const isBelow = ({ level, found }: Heading, above: number): boolean =>
  above === WEAK ? found === null : level > above && level < WEAK;

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
    missing: [`at least ${counted(minLines, 'line')} with text`],
    text: `the answer has ${counted(lines, 'line')} with text; at least ${minLines} must be there`,
    next_actions: [],
  };
}

export function checkChanges(changes: readonly Change[], mayBeEmpty: boolean): Finding | null {
  if (changes.length > 0 || mayBeEmpty) return null;
  return {
    check: 'changes',
    class: 'contract_violation',
    reason: 'no_change',
    missing: ['a change in the working tree'],
    text: 'the stage must change the working tree, and changed nothing',
    next_actions: [],
  };
}
