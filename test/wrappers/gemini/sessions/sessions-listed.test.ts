// What `gemini --list-sessions` prints: rows of any title, and nothing that only looks like one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isWithinAWeek, readListed } from '../../../../wrappers/gemini/sessions/listed.ts';

const ID = '0cb916db-26aa-40f2-86b5-1ba81b225fd2';
const OTHER = '19af2fba-50a5-476f-8698-95c6a975e4e3';
const list = (...rows: string[]) =>
  `\nAvailable sessions for this project (${rows.length}):\n${rows.map((row, i) => `  ${i + 1}. ${row}\n`).join('')}`;

test('rows with their title, time and id', () => {
  assert.equal(readListed(list(`Fix the build (Just now) [${ID}]`, `Second (3 days ago, current) [${OTHER}]`)), {
    how: 'read',
    rows: [
      { index: 1, title: 'Fix the build', when: 'Just now', current: false, id: ID },
      { index: 2, title: 'Second', when: '3 days ago', current: true, id: OTHER },
    ],
  });
});

for (const title of [
  'a (b) [c]',
  `quotes 1. a row (Just now) [${OTHER}]`,
  '(2 hours ago, current)',
  '',
  'two\nlines',
  `two lines\n  2. Second (Just now) [${OTHER}] not at the end`,
  '[Feature: login] Do it',
])
  test(`a title ${JSON.stringify(title)}`, () => {
    const listed = readListed(list(`${title} (5 minutes ago) [${ID}]`, `last (1 day ago) [${OTHER}]`));
    assert.equal(listed.how === 'read' && listed.rows.map((row) => [row.title, row.when, row.id]), [
      [title, '5 minutes ago', ID],
      ['last', '1 day ago', OTHER],
    ]);
  });

test('none at all', () => {
  assert.equal(readListed('No previous sessions found for this project.'), { how: 'read', rows: [] });
});

for (const [text, why] of [
  ['', 'it does not begin with the number of sessions'],
  ['Sessions:\n  1. x (Just now) [y]\n', 'it does not begin with the number of sessions'],
  [list('no id (Just now)'), 'it announces 1 sessions, and 0 can be read'],
  [list(`a (Just now) [${ID}]`).replace('(1)', '(2)'), 'it announces 2 sessions, and 1 can be read'],
] as const)
  test(`not understood: ${JSON.stringify(text)}`, () => {
    assert.equal(readListed(text), { how: 'invalid', why });
  });

for (const [when, within] of [
  ['Just now', true],
  ['1 minute ago', true],
  ['23 hours ago', true],
  ['Yesterday', true],
  ['7 days ago', true],
  ['8 days ago', false],
  ['41 days ago', false],
  ['1 week ago', false],
  ['2 weeks ago', false],
  ['3 months ago', false],
  ['1 year ago', false],
  ['some day', false],
] as const)
  test(`${when} is ${within ? '' : 'not '}within a week`, () => assert.is(isWithinAWeek(when), within));

test.run();
