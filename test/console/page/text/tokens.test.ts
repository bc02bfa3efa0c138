// Markdown in the page: what costs more than its time, or would fill rows without end, is shown as it was written.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tokensOf } from '../../../../console/page/text/tokens.ts';

const types = (text: string, now?: () => number) => tokensOf(text, 'flow', now)?.map(({ type }) => type) ?? null;

test('a text is blocks', () => {
  assert.equal(types('# A\nb *c*\n\n- d\n'), ['heading', 'paragraph', 'space', 'list']);
});

test('a text whose time is over is given up', () => {
  let ms = 0;
  const slow = () => (ms += 600);
  assert.is(types('a\n\nb\n\nc', slow), null);
});

for (const [what, text] of [
  ['emphasis that is opened and never closed', '*a_'.repeat(30_000)],
  ['quotes within each other', '> '.repeat(50_000)],
  ['lists within quotes', '> - '.repeat(25_000)],
  ['lists in one line', '1. '.repeat(30_000)],
  ['one long address', `${'a.'.repeat(45_000)}@`],
] as const)
  test(`given up: ${what}`, () => assert.is(types(text), null));

test('a table whose rows lack their cells is a paragraph, and one that has them is a table', () => {
  const head = `|${'a|'.repeat(300)}\n|${'-|'.repeat(300)}\n`;
  const stopped = () => 0;
  assert.equal(types(head + 'x\n'.repeat(300), stopped), ['paragraph']);
  assert.equal(types(`|a|b|\n|-|-|\n${'|1|2|\n'.repeat(6000)}`, stopped), ['table']);
});

test.run();
