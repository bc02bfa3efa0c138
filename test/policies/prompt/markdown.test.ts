// Sections of a Markdown text, by each way to write a heading.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { linesOf, plainTitle, sectionsOf, withoutSection } from '../../../policies/prompt/markdown.ts';

const ROWS: [text: string, sections: [title: string, level: number, from: number, to: number][]][] = [
  [
    '# A\na\n## B\nb\n# C',
    [
      ['A', 1, 0, 4],
      ['B', 2, 2, 4],
      ['C', 1, 4, 5],
    ],
  ],
  [
    'A\n===\na\n\nB\n--\nb',
    [
      ['A', 1, 0, 7],
      ['B', 2, 4, 7],
    ],
  ],
  [
    '# A\r\na\r# B',
    [
      ['A', 1, 0, 2],
      ['B', 1, 2, 3],
    ],
  ],
  ['```\n# no\n~~~\n```\n# yes', [['yes', 1, 4, 5]]],
  ['````md\n```\n# no\n```\n````\n# yes', [['yes', 1, 5, 6]]],
  ['- item\n---\n> said\n---\n| a |\n---\n\n---', []],
  ['#no\n#\n####### no', [['', 1, 1, 3]]],
];

for (const [text, sections] of ROWS)
  test(JSON.stringify(text), () =>
    assert.equal(
      sectionsOf(linesOf(text)).map(({ title, level, from, to }) => [title, level, from, to]),
      sections,
    ),
  );

test('titles are compared without numbers, emphasis and marks', () => {
  for (const title of ['Non-Goals', '**Non-goals**', '3. Non goals:', '2.1) non-goals ##'])
    assert.is(plainTitle(title), 'non goals');
});

test('a section is taken out with all that is below it', () => {
  const text = '# A\na\n## Updated Context Pack\nx\n### deeper\ny\n## Next\nz\n';
  assert.is(
    withoutSection(text, 'Updated Context Pack', '(above)'),
    '# A\na\n## Updated Context Pack\n\n(above)\n\n## Next\nz\n',
  );
  assert.is(withoutSection(text, 'Nothing', '(above)'), text);
});

test.run();
