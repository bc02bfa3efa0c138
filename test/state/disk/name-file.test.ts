// A file that is whole gets another name, and only where it is the file that was opened, and nobody else's.

import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nameFile } from '../../../state/disk/name-file.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const test = suite<{ root: string; at: (name: string) => string; fd: number }>('name file');
test.before.each((context) => {
  const root = temporaryFolder('name-file-');
  const at = (name: string) => path.join(root, name);
  writeFileSync(at('source'), 'said\n', { mode: 0o600 });
  Object.assign(context, { root, at, fd: openSync(at('source'), 'r') });
});
test.after.each(({ fd }) => closeSync(fd));

for (const promise of ['renamed', 'synced'] as const)
  test(`takes the place of what stood there, ${promise}, and is no copy`, ({ root, at, fd }) => {
    writeFileSync(at('target'), 'earlier');
    assert.is(nameFile(at('source'), fd, at('target'), promise, null), false);
    assert.is(statSync(at('target')).ino, statSync(at('source')).ino);
    assert.equal(readdirSync(root).sort(), ['source', 'target']);
  });

test('has a third name where it is asked for, and stays when its first goes', ({ root, at, fd }) => {
  assert.is(nameFile(at('source'), fd, at('target'), 'synced', at('beside')), true);
  rmSync(at('source'));
  assert.equal(readdirSync(root).sort(), ['beside', 'target']);
  for (const name of ['beside', 'target']) assert.is(readFileSync(at(name), 'utf8'), 'said\n');
});

test('a folder in the way is set aside, and a link is replaced', ({ root, at, fd }) => {
  mkdirSync(at('target'));
  assert.is(nameFile(at('source'), fd, at('target'), 'renamed', null), false);
  assert.ok(statSync(at('target')).isFile());
  assert.ok(readdirSync(root).some((name) => name.startsWith('target.unreadable-')));
  symlinkSync(at('nowhere'), at('linked'));
  rmSync(at('target'));
  assert.is(nameFile(at('source'), fd, at('linked'), 'renamed', null), false);
  assert.is(readFileSync(at('linked'), 'utf8'), 'said\n');
});

const ELSE: Record<string, (at: (name: string) => string) => void> = {
  nothing: (at) => rmSync(at('source')),
  'another file': (at) => {
    rmSync(at('source'));
    writeFileSync(at('source'), 'planted');
  },
  'a link to one': (at) => {
    rmSync(at('source'));
    writeFileSync(at('planted'), 'planted');
    symlinkSync(at('planted'), at('source'));
  },
  'a file that somebody gave a name of his own': (at) => linkSync(at('source'), at('kept')),
};
for (const [what, put] of Object.entries(ELSE))
  test(`${what} in its place is not published`, ({ root, at, fd }) => {
    writeFileSync(at('target'), 'earlier');
    put(at);
    const before = readdirSync(root);
    assert.is(nameFile(at('source'), fd, at('target'), 'renamed', at('beside')), null);
    assert.is(readFileSync(at('target'), 'utf8'), 'earlier');
    assert.equal(readdirSync(root), before);
  });

test('leaves to its caller what no name can be given in', ({ root, at, fd }) => {
  writeFileSync(at('target'), 'earlier');
  assert.is(nameFile(at('source'), fd, path.join(at('target'), 'x'), 'renamed', null), null);
  assert.is(readFileSync(at('target'), 'utf8'), 'earlier');
  assert.equal(readdirSync(root).sort(), ['source', 'target']);
});

test.run();
