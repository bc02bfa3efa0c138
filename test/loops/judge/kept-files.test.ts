// Files that a stage is judged by: each way to change one is seen, put back, and what stood there is kept.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesBelow, keepFiles, putBack } from '../../../loops/run/judge/kept-files.ts';

const test = suite<{ root: string; aside: string }>('kept files');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'kept-'));
  context.aside = path.join(context.root, 'aside');
  mkdirSync(path.join(context.root, 'in/deep'), { recursive: true });
  writeFileSync(path.join(context.root, 'in/a.md'), 'before');
  writeFileSync(path.join(context.root, 'in/deep/b.md'), 'deep');
  symlinkSync('a.md', path.join(context.root, 'in/link'));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

type Edit = (folder: string) => void;
const EDITS: [what: string, edit: Edit, expected: string[]][] = [
  ['nothing', () => {}, []],
  ['content', (at) => writeFileSync(path.join(at, 'a.md'), 'after!'), ['a.md modified']],
  [
    'content of the same size, with its time put back',
    (at) => {
      const { atime, mtime } = lstatSync(path.join(at, 'a.md'));
      writeFileSync(path.join(at, 'a.md'), 'BEFORE');
      utimesSync(path.join(at, 'a.md'), atime, mtime);
    },
    ['a.md modified'],
  ],
  ['the same content, written anew', (at) => writeFileSync(path.join(at, 'a.md'), 'before'), []],
  ['mode', (at) => chmodSync(path.join(at, 'a.md'), 0o777), ['a.md modified']],
  ['a deleted file', (at) => rmSync(path.join(at, 'deep/b.md')), ['deep/b.md deleted']],
  ['a deleted folder', (at) => rmSync(path.join(at, 'deep'), { recursive: true }), ['deep/b.md deleted']],
  [
    'a folder that became a file',
    (at) => {
      rmSync(path.join(at, 'deep'), { recursive: true });
      writeFileSync(path.join(at, 'deep'), 'x');
    },
    ['deep/b.md deleted', 'deep added'],
  ],
  ['a new file', (at) => writeFileSync(path.join(at, 'new.md'), 'x'), ['new.md added']],
  [
    'a link that leads elsewhere',
    (at) => {
      rmSync(path.join(at, 'link'));
      symlinkSync('/etc/passwd', path.join(at, 'link'));
    },
    ['link modified'],
  ],
  [
    'a file that became a link',
    (at) => {
      rmSync(path.join(at, 'a.md'));
      symlinkSync('deep/b.md', path.join(at, 'a.md'));
    },
    ['a.md modified'],
  ],
];

for (const [what, edit, expected] of EDITS)
  test(what, ({ root, aside }) => {
    const folder = path.join(root, 'in');
    const list = () => filesBelow(folder, () => false);
    const kept = keepFiles(list());
    edit(folder);
    const tampered = putBack(kept, list(), aside);
    assert.equal(tampered.map(({ file, how }) => `${path.relative(folder, file)} ${how}`).sort(), [...expected].sort());
    assert.ok(tampered.every(({ outcome }) => outcome === 'put_back'));
    assert.equal(
      list()
        .map((file) => path.relative(folder, file))
        .sort(),
      ['a.md', 'deep/b.md', 'link'],
    );
    assert.equal(
      [
        readFileSync(path.join(folder, 'a.md'), 'utf8'),
        readFileSync(path.join(folder, 'deep/b.md'), 'utf8'),
        readlinkSync(path.join(folder, 'link')),
      ],
      ['before', 'deep', 'a.md'],
    );
    assert.is(lstatSync(path.join(folder, 'a.md')).mode & 0o111, 0);
    const removed = expected.filter((row) => !row.endsWith('deleted')).length;
    assert.is(existsSync(aside) ? readdirSync(aside).length : 0, removed);
  });

test('a file that is too large to keep is seen to change, and left as it is', ({ root, aside }) => {
  const file = path.join(root, 'in/large');
  writeFileSync(file, '');
  truncateSync(file, 2 * 1024 * 1024);
  const kept = keepFiles([file]);
  truncateSync(file, 1);
  assert.equal(putBack(kept, [file], aside), [{ file, how: 'modified', outcome: 'kept' }]);
  assert.is(lstatSync(file).size, 1);
});

test('a file that was not there must not appear', ({ root, aside }) => {
  const file = path.join(root, 'in/tollgate.yaml');
  const kept = keepFiles([file]);
  writeFileSync(file, 'x');
  assert.equal(putBack(kept, [], aside), [{ file, how: 'added', outcome: 'put_back' }]);
  assert.not(existsSync(file));
});

test.run();
