// The pages' figures of verdicts and signatures: measured again, the same as they stand there, and as good as they must be where they are.

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FIGURES, MARKDOWN_HEAD, markdownRows } from '../bench/truth/figures.ts';
import { DEFAULT_SEED, measure } from '../bench/truth/measure.ts';
import { readSets } from '../bench/truth/subject.ts';

const { open, held } = readSets('test/corpus');
const measured = { open: measure(open, DEFAULT_SEED), held: measure(held, DEFAULT_SEED) };

/** Goals that are not reached; one that is reached leaves this list, and docs/figures/truth.md says what is measured. */
const MISSED: ReadonlySet<string> = new Set([
  'held: – of them the worst operator',
  'held: two failures, one signature',
]);

for (const [set, figures] of Object.entries(measured))
  for (const { metric, goal, holds, shown } of FIGURES) {
    if (holds === null) continue;
    const isMissed = MISSED.has(`${set}: ${metric}`);
    test(`${set}: ${metric} ${goal}${isMissed ? ' is missed' : ''}`, () =>
      assert.is(holds(figures), !isMissed, shown(figures)));
  }

/** What stands between the markers, blank lines apart: the caption, then the table. */
const [, page = ''] = readFileSync('docs/figures/truth.md', 'utf8').split('<!-- truth -->\n');
const [caption = '', ...lines] = page.split('<!-- /truth -->')[0]!.split('\n').filter(Boolean);

test('the page has the figures of this corpus', () => {
  // What follows depends on the machine.
  const wanted = [...MARKDOWN_HEAD, ...markdownRows(measured.open, measured.held)];
  const way = '`npm run bench:truth -- --figures` writes it; on every machine it begins with';
  assert.equal(lines.slice(0, wanted.length), wanted, `${way}\n\n${wanted.join('\n')}\n`);
});

test('and says of which version they are, and when they were measured', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.is(
    caption
      .replace(/\d{4}-\d\d-\d\d/, 'DATE')
      .split(',')
      .slice(0, 3)
      .join(),
    `Version ${version}, DATE, seed ${DEFAULT_SEED}`,
  );
});

test.run();
