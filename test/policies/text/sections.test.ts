// Sections of a Markdown text by their names, and its titles, by each way to write a heading.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sectionsNamed, sectionText, titlesOf, withoutSection } from '../../../policies/text/sections.ts';

const TITLES: [text: string, titles: [title: string, level: number][]][] = [
  [
    '# A\na\n## B ##\nb\n# C',
    [
      ['A', 1],
      ['B', 2],
      ['C', 1],
    ],
  ],
  [
    'A\n===\na\n\nB\n--\nb',
    [
      ['A', 1],
      ['B', 2],
    ],
  ],
  ['```\n# no\n~~~\n```\n# yes', [['yes', 1]]],
  ['````md\n```\n# no\n```\n````\n# yes', [['yes', 1]]],
  ['- item\n---\n> said\n---\n| a |\n---\n\n---', []],
  ['**bold**\nx\nColon:\n####### no', []],
];

for (const [text, titles] of TITLES)
  test(JSON.stringify(text), () =>
    assert.equal(
      titlesOf(text).map(({ title, level }) => [title, level]),
      titles,
    ),
  );

test('names are compared without numbers, emphasis and marks', () => {
  for (const title of ['## Non-Goals', '**Non-goals**', '3. Non goals', '# 2.1) non-goals ##', 'Non-goals:'])
    assert.is(sectionsNamed(`${title}\nx`, { names: ['non goals'], writer: 'person' }).length, 1, title);
});

test('a line over dashes is a heading of a person, and a rule of a model', () => {
  const text = '## A\na\n\nB\n---\nb';
  const ends = (writer: 'person' | 'model') => sectionsNamed(text, { names: ['A'], writer }).map(({ to }) => to);
  assert.equal([ends('person'), ends('model')], [[text.indexOf('B')], [text.length]]);
});

const NOTE = '(above)';
const WITHOUT: [what: string, answer: string, rest: string][] = [
  [
    'all that is below it',
    '# A\na\n## Updated Context Pack\nx\n### deeper\ny\n## Next\nz\n',
    '# A\na\n## Updated Context Pack\n\n(above)\n\n## Next\nz\n',
  ],
  [
    'one in bold',
    '**Plan**\np\n\n**Updated Context Pack**\n- x\n\n**Verification Commands**\n',
    '**Plan**\np\n\n**Updated Context Pack**\n\n(above)\n\n**Verification Commands**\n',
  ],
  [
    'one whose text is beside its name',
    '**Updated Context Pack:** x\n# B',
    '**Updated Context Pack**\n\n(above)\n\n# B',
  ],
  [
    'one that is headed twice, with text but once',
    '## Updated Context Pack\n\n## Updated Context Pack\nx\n',
    '## Updated Context Pack\n\n## Updated Context Pack\n\n(above)\n\n',
  ],
  ['one within a block of Markdown', '```md\n# Updated Context Pack\nx\n```', '# Updated Context Pack\n\n(above)\n\n'],
  ['none', '# A\nx', '# A\nx'],
];

for (const [what, answer, rest] of WITHOUT)
  test(`an answer without its section: ${what}`, () => {
    assert.is(withoutSection(answer, 'Updated Context Pack', NOTE), rest);
    assert.is(sectionText(rest, 'Updated Context Pack'), rest === answer ? null : NOTE);
  });

test.run();
