// Folders are made with all above them, and a place where none can be made is an error, also below /proc.

import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder, makeFolders } from '../../../state/disk/folder.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite<{ root: string }>('folders');
const onLinux = where('linux', test);
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'folders-'));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

test('the first folder that was made is returned, and each is private', ({ root }) => {
  const first = path.join(root, 'a');
  assert.is(makeFolders(path.join(root, 'a/b/c')), first);
  assert.is(statSync(path.join(root, 'a/b')).mode & 0o777, 0o700);
  assert.is(makeFolders(path.join(root, 'a/b/c')), undefined);
});

test('a link to a folder counts as one', ({ root }) => {
  mkdirSync(path.join(root, 'real'));
  symlinkSync('real', path.join(root, 'link'));
  assert.is(makeFolders(path.join(root, 'link')), undefined);
  assert.is(makeFolders(path.join(root, 'link/a')), path.join(root, 'link/a'));
});

test('a file in the way is named', ({ root }) => {
  writeFileSync(path.join(root, 'file'), '');
  assert.throws(() => makeFolders(path.join(root, 'file/a')), /ENOTDIR/);
  assert.throws(() => makeFolder(path.join(root, 'file/a')), /file is a regular file, and no folder|and no folder/);
});

onLinux('below /proc none can be made, which is an error', ({ root }) => {
  symlinkSync('/proc/self', path.join(root, 'link'));
  for (const place of ['/proc/self/tollgate/a', path.join(root, 'link/tollgate')])
    assert.throws(() => makeFolders(place), /ENOENT/);
});

test.run();
