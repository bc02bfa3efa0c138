// A folder of another task's inputs counts as changed by the names in it, and not because something was done there.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesIn, guardedIn, namesOfTasks } from '../../../loops/guard/other-tasks.ts';

const test = suite<{ root: string }>('names of folders');
test.before.each((context) => {
  context.root = path.join(mkdtempSync(path.join(tmpdir(), 'tollgate-names-')), 'task/other');
  mkdirSync(path.join(context.root, 'inputs/attachments'), { recursive: true });
  writeFileSync(path.join(context.root, 'inputs/user_request.md'), 'Look.\n');
  writeFileSync(path.join(context.root, 'inputs/attachments/a.md'), 'a\n');
});
test.after.each(({ root }) => rmSync(path.join(root, '../..'), { recursive: true }));

const SINCE_EVER = { fromNs: 0n, toNs: null };

const namesOf = (root: string) => namesOfTasks(path.join(root, '../..'), ['other']).other;

/** As if the call had begun just before: by the clock all is new, and the names alone tell the folders apart. */
function foldersChanged(root: string, edit: () => void): string[] {
  const names = namesOf(root);
  edit();
  return changesIn(root)(SINCE_EVER, { names }).filter((file) => /^inputs(?:\/attachments)?$/.test(file));
}

type Case = [what: string, folders: string[], edit: (inputs: string) => void];

const touch = (inputs: string, name: string) => writeFileSync(path.join(inputs, name), 'x');

const CASES: Case[] = [
  ['nothing is done', [], () => undefined],
  [
    'litter comes and goes',
    [],
    (inputs) => {
      for (const name of ['.a.swp', 'a~', '4913', 'attachments/.a.swp', 'attachments/a~']) {
        touch(inputs, name);
        rmSync(path.join(inputs, name));
      }
    },
  ],
  [
    'litter stays',
    [],
    (inputs) => ['.a.swp', 'a~', '4913', 'attachments/.a.swp'].forEach((name) => void touch(inputs, name)),
  ],
  ['what looks like litter would be attached', ['inputs/attachments'], (inputs) => touch(inputs, 'attachments/a.md~')],
  ['prompts are composed', [], (inputs) => mkdirSync(path.join(inputs, 'prompt'))],
  ['an input is added', ['inputs'], (inputs) => touch(inputs, 'b.md')],
  ['an input is taken away', ['inputs'], (inputs) => rmSync(path.join(inputs, 'user_request.md'))],
  [
    'the last attachment is taken away',
    ['inputs/attachments'],
    (inputs) => rmSync(path.join(inputs, 'attachments/a.md')),
  ],
  [
    'a folder of prompts is made elsewhere',
    ['inputs/attachments'],
    (inputs) => mkdirSync(path.join(inputs, 'attachments/prompt')),
  ],
  [
    'another folder of the same names takes its place',
    ['inputs/attachments'],
    (inputs) => {
      const elsewhere = path.join(inputs, '../elsewhere');
      mkdirSync(elsewhere);
      touch(elsewhere, 'a.md');
      renameSync(path.join(inputs, 'attachments'), path.join(inputs, '../taken'));
      renameSync(elsewhere, path.join(inputs, 'attachments'));
    },
  ],
  [
    'a file takes its place',
    ['inputs/attachments'],
    (inputs) => {
      rmSync(path.join(inputs, 'attachments'), { recursive: true });
      touch(inputs, 'attachments');
    },
  ],
];

for (const [what, folders, edit] of CASES)
  test(`${what}: ${folders.join(', ') || 'no folder'} changed`, ({ root }) => {
    assert.equal(
      foldersChanged(root, () => edit(path.join(root, 'inputs'))),
      folders,
    );
  });

test('a task without inputs is not changed by its first prompt', ({ root }) => {
  rmSync(path.join(root, 'inputs'), { recursive: true });
  assert.equal(
    foldersChanged(root, () => mkdirSync(path.join(root, 'inputs/prompt'), { recursive: true })),
    [],
  );
});

test('what a person accepted stays accepted while litter comes and goes', ({ root }) => {
  const names = namesOf(root);
  const inputs = path.join(root, 'inputs');
  touch(inputs, 'b.md');
  const vouched = Object.fromEntries([...guardedIn(root)].map(([name, { stamp }]) => [name, stamp]));
  touch(inputs, '.b.md.swp');
  rmSync(path.join(inputs, '.b.md.swp'));
  assert.equal(changesIn(root)(SINCE_EVER, { names, vouched }), []);
});

test('an entry that says no names counts whatever was done in a folder', ({ root }) => {
  const all = ['inputs', 'inputs/attachments', 'inputs/attachments/a.md', 'inputs/user_request.md'];
  assert.equal(changesIn(root)(SINCE_EVER), all);
});

test('a task with more folders than an entry can hold goes without, and the others do not', ({ root }) => {
  const state = path.join(root, '../..');
  const deep = path.join(state, 'task/deep/inputs', ...Array.from({ length: 15 }, () => 'd'.repeat(200)));
  for (let each = 0; each < 200; each += 1) mkdirSync(path.join(deep, `${each}`, 'full'), { recursive: true });
  assert.equal(Object.keys(namesOfTasks(state, ['deep', 'other'])), ['other']);
});

test.run();
