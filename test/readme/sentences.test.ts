// Measures the sentences of the pages: short ones are read once. Blocks of code, headings and generated pages do not count.
// The cells of tables are fragments, which would hide long sentences in a median: they count for the longest sentence only.

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

const MEDIAN = 15;
const NINE_IN_TEN = 25;
const LONGEST = 40;
const IN_ALL = 22_000;

/** Its texts are those of the help. */
const GENERATED = 'docs/flags.md';

const TEXTS = new Map([...PAGES, ['skills/tollgate/SKILL.md', readFileSync('skills/tollgate/SKILL.md', 'utf8')]]);
TEXTS.delete(GENERATED);

for (const [page, text] of TEXTS)
  test(`${page}: no sentence has more than ${LONGEST} words`, () => {
    const { prose, cells } = textOf(text);
    assert.equal(
      [...prose, ...cells].flatMap(sentencesOf).filter((sentence) => wordsIn(sentence) > LONGEST),
      [],
    );
  });

test(`half of the sentences have at most ${MEDIAN} words, nine in ten at most ${NINE_IN_TEN}`, () => {
  const lengths = [...TEXTS.values()].flatMap((text) => textOf(text).prose.flatMap(sentencesOf)).map(wordsIn);
  lengths.sort((a, b) => a - b);
  assert.ok(lengths.length > 500, `${lengths.length} sentences`);
  const at = (share: number) => lengths[Math.ceil(lengths.length * share) - 1]!;
  assert.ok(at(0.5) <= MEDIAN && at(0.9) <= NINE_IN_TEN, `${at(0.5)} and ${at(0.9)} words`);
});

test(`all pages together have at most ${IN_ALL} words, with tables and the generated page`, () => {
  const words = [...PAGES.values()]
    .flatMap((text) => Object.values(textOf(text)).flat().flatMap(sentencesOf))
    .map(wordsIn);
  const all = words.reduce((sum, count) => sum + count, 0);
  assert.ok(all > 10_000 && all <= IN_ALL, `${all} words`);
});

test('sentences are told apart, and a span of code is one word', () => {
  const text =
    '# Title\n\nOne [two](x.md) `a b. C`. Next\nline: more.\n\n```sh\nnone of it\n```\n- item\n\n| a b. C d | e |\n';
  const { prose, cells } = textOf(text);
  assert.equal(prose.flatMap(sentencesOf).map(wordsIn), [3, 3, 1]);
  assert.equal(cells.flatMap(sentencesOf).map(wordsIn), [2, 2, 1]);
});

/** Paragraphs and items of lists, and the cells of tables. */
function textOf(page: string): { prose: string[]; cells: string[] } {
  const prose: string[] = [];
  const cells: string[] = [];
  let isOpen = false;
  for (const line of page
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->|<\/?\w+>/g, '')
    .split('\n')) {
    const isText = /\S/.test(line) && !/^(?:#|\||!\[)/.test(line);
    if (line.startsWith('|')) cells.push(...line.split(/(?<!\\)\|/).filter((cell) => /\w/.test(cell)));
    else if (isText && isOpen && !/^\s*(?:[-*]|\d+\.) /.test(line)) prose[prose.length - 1] += ` ${line.trim()}`;
    else if (isText) prose.push(line.trim());
    isOpen = isText;
  }
  return { prose, cells };
}

function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/`[^`]+`/g, 'CODE')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^(?:[-*]|\d+\.) /, '')
    .split(/(?<=[.!?][*)"]{0,3})\s+/)
    .filter((sentence) => /\w/.test(sentence));
}

function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

test.run();
