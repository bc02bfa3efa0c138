// The files and folders that the pages name are there: by their path from the root, or by enough of its end to find them.

import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

const CLIS = ['gemini', 'copilot', 'codex'];
const ROOMS = [
  'policies',
  'wrappers',
  'state',
  'loops',
  'fleet',
  'console',
  'library',
  'bin',
  'build',
  'test',
  'bench',
  'examples',
  'docs',
  '.ci',
];
const FILES = [...readdirSync('.'), ...ROOMS.flatMap((room) => filesIn(room))];
const ROOM = new RegExp(`^(?:${ROOMS.join('|')})/`);

for (const [page, text] of PAGES)
  test(`${page} names files that are there`, () => {
    assert.equal(
      [...new Set(namesIn(text))].filter((name) => !isThere(name)),
      [],
    );
  });

test('a name that leads nowhere is found', () => {
  assert.equal(namesIn('see `loops/no-such.ts`, `no-such-file.ts`, `loops/no-such/` and `a b/c.ts`'), [
    'loops/no-such.ts',
    'no-such-file.ts',
    'loops/no-such/',
  ]);
  for (const name of ['loops/no-such.ts', 'no-such-file.ts', 'loops/no-such/', 'call.ts/', 'wrappers/<cli>/no.ts'])
    assert.not.ok(isThere(name), name);
});

/** Between back ticks: what ends like a source of ours, and folders of our rooms. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, name]) => name!)
    .filter((name) => /^[\w./<>-]+\.(?:ts|mjs)$/.test(name) || (ROOM.test(name) && /^[\w./<>-]+\/$/.test(name)));
}

/** `<cli>` stands for each CLI that has such a file. */
function isThere(name: string): boolean {
  return (name.includes('<cli>') ? CLIS.map((cli) => name.replace('<cli>', cli)) : [name]).some((each) =>
    each.endsWith('/')
      ? FILES.some((file) => file.startsWith(each))
      : FILES.some((file) => file === each || (!ROOM.test(each) && file.endsWith(`/${each}`))),
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [name];
    return entry.name === 'node_modules' ? [] : filesIn(name);
  });
}

test.run();
