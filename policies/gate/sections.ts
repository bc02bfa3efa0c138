// Which of the sections that an answer must have are missing, or stand there with nothing under them.

import type { Finding } from '../gate.ts';
import { bookOf, keyOf } from '../markdown/names.ts';
import { type Heading, outlineOf, WEAK } from '../markdown/outline.ts';
import { readingsOf } from '../markdown/readings.ts';

export function checkSections(answer: string, requires: readonly string[]): Finding | null {
  const missing = missingSections(answer, requires);
  if (missing.length === 0) return null;
  const plural = missing.length === 1 ? 'section' : 'sections';
  return {
    check: 'sections',
    class: 'contract_violation',
    reason: 'missing_sections',
    missing,
    text: `the answer lacks the ${plural} ${missing.map((name) => `"${name}"`).join(', ')}`,
    next_actions: [`say in the prompt that the answer has headings with these very names: ${requires.join(', ')}`],
  };
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

/** A bold line that nobody asked for is part of the text. */
const isText = (heading: Heading | null): heading is null =>
  heading === null || (heading.form === 'bold' && heading.found === null);

/** A heading below a section's own is text of it. Two styles in one answer stand beside each other, not below. */
const isBelow = ({ level, found }: Heading, above: number): boolean =>
  above === WEAK ? found === null : level > above && level < WEAK;
