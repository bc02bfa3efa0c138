// What is told of a tree that is not as a saved session left it, and of a file that is none.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { movedSince, SAVE_SCHEMA, saveMistake } from '../../../policies/supervise/session-save.ts';

const file = (path: string, sha256: string | null) => ({ path, how: 'modified' as const, sha256 });
const GIT = { head: 'a'.repeat(40), branch: 'main', status: 's' };
const SAVED = { changed_files: [file('a.txt', '1')], git: GIT };

for (const [what, now, told] of [
  ['nothing', { ...SAVED, branches: ['main'] }, []],
  [
    'another HEAD',
    { ...SAVED, git: { ...GIT, head: 'b'.repeat(40) }, branches: ['main'] },
    ['HEAD was aaaaaaaaaaaa, and is bbbbbbbbbbbb'],
  ],
  [
    'another branch',
    { ...SAVED, git: { ...GIT, branch: 'x' }, branches: ['main', 'x'] },
    ['it was on main, and is on x'],
  ],
  ['a deleted branch', { ...SAVED, git: { ...GIT, branch: 'x' }, branches: ['x'] }, ['the branch main is gone']],
  [
    'a changed file',
    { ...SAVED, changed_files: [file('a.txt', '2')], branches: ['main'] },
    ['a file was changed since: a.txt'],
  ],
  [
    'another file',
    { ...SAVED, git: { ...GIT, status: 't' }, branches: ['main'] },
    ['other files than those of the session have changed'],
  ],
] as const)
  test(`moved: ${what}`, () => assert.equal(movedSince(SAVED, now as never), told as never));

test('of another version, or half of one', () => {
  assert.is(saveMistake({ schema: 9 }), 'it was saved by another version (schema 9; this one knows 1)');
  assert.is(saveMistake({ schema: SAVE_SCHEMA, sessions: {} }), 'it is not whole');
  assert.match(saveMistake([])!, 'another version');
});

test.run();
