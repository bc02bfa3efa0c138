// Files that a stage is judged by: each way to change one is seen, put back, and what stood there is kept.

import { execFileSync } from 'node:child_process';
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
import { filesBelow } from '../../../loops/guard/guarded-files.ts';
import { keepFiles, loadKept, saveKept } from '../../../loops/guard/kept-files.ts';
import { putBack } from '../../../loops/guard/put-back.ts';

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
  [
    'a file that became a folder',
    (at) => instead(at, 'a.md', (file) => mkdirSync(path.join(file, 'x/y'), { recursive: true })),
    ['a.md modified'],
  ],
  [
    'a file that became a folder with files in it',
    (at) =>
      instead(at, 'a.md', (file) => {
        mkdirSync(path.join(file, 'x/y'), { recursive: true });
        writeFileSync(path.join(file, 'x/y/z.md'), 'z');
        writeFileSync(path.join(file, 'w.md'), 'w');
      }),
    ['a.md modified'],
  ],
  [
    'a file that became a FIFO',
    (at) => instead(at, 'a.md', (file) => execFileSync('mkfifo', [file])),
    ['a.md modified'],
  ],
  [
    'a file that became an endless device',
    (at) => instead(at, 'a.md', (file) => symlinkSync('/dev/zero', file)),
    ['a.md modified'],
  ],
  ['a file that became a loop', (at) => instead(at, 'a.md', (file) => symlinkSync('a.md', file)), ['a.md modified']],
  ['a file that became one of 3 GB', (at) => truncateSync(path.join(at, 'a.md'), 3 * 1024 ** 3), ['a.md modified']],
  [
    'a folder that became a FIFO',
    (at) => instead(at, 'deep', (file) => execFileSync('mkfifo', [file])),
    ['deep added', 'deep/b.md deleted'],
  ],
  [
    'a folder that became a link to one elsewhere',
    (at) => instead(at, 'deep', (file) => symlinkSync('../elsewhere', file)),
    ['deep added', 'deep/b.md deleted'],
  ],
];

function instead(folder: string, name: string, make: (file: string) => void): void {
  rmSync(path.join(folder, name), { recursive: true });
  make(path.join(folder, name));
}

const clock = () => new Date('2026-01-01T00:00:00.000Z');

for (const [what, edit, expected] of EDITS)
  for (const from of ['memory', 'disk'] as const)
    test(`${what}, put back from ${from}`, ({ root, aside }) => {
      const folder = path.join(root, 'in');
      mkdirSync(path.join(root, 'elsewhere'));
      writeFileSync(path.join(root, 'elsewhere/b.md'), "somebody's own");
      const list = () => filesBelow(folder, () => false);
      const remembered = keepAll(root, list());
      const kept = from === 'memory' ? remembered : savedAndLoaded(root, remembered);
      edit(folder);
      const tampered = putBack(kept, { present: list, aside, clock });
      assert.equal(
        tampered.map(({ file, how }) => `${path.relative(folder, file)} ${how}`).sort(),
        [...expected].sort(),
      );
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
          readFileSync(path.join(root, 'elsewhere/b.md'), 'utf8'),
        ],
        ['before', 'deep', 'a.md', "somebody's own"],
      );
      assert.is(lstatSync(path.join(folder, 'a.md')).mode & 0o111, 0);
      const removed = expected.filter((row) => !row.endsWith('deleted')).length;
      assert.is(existsSync(aside) ? readdirSync(aside).length : 0, removed);
    });

const keepAll = (root: string, files: readonly string[]) =>
  keepFiles({ files, folders: [], grounds: [root], copies: () => root });

function savedAndLoaded(root: string, kept: ReturnType<typeof keepFiles>) {
  saveKept(root, kept);
  return loadKept(root)!;
}

const MIB = 1024 * 1024;

test('a file that is too large for memory is put back from its copy, whatever stands there', ({ root, aside }) => {
  const file = path.join(root, 'in/large');
  writeFileSync(file, Buffer.alloc(2 * MIB, 'x'));
  const kept = keepAll(root, [file]);
  assert.equal(kept.unkept, []);
  rmSync(file);
  mkdirSync(file);
  assert.equal(putBack(kept, { present: () => [file], aside, clock }), [
    { file, how: 'modified', outcome: 'put_back' },
  ]);
  assert.ok(readFileSync(file).equals(Buffer.alloc(2 * MIB, 'x')));
  assert.equal(putBack(kept, { present: () => [file], aside, clock }), []);
});

test('a copy that was edited as well is not put back', ({ root, aside }) => {
  const file = path.join(root, 'in/large');
  writeFileSync(file, Buffer.alloc(2 * MIB, 'x'));
  const kept = keepAll(root, [file]);
  writeFileSync(path.join(root, 'copy-1'), 'mine');
  writeFileSync(file, 'mine');
  assert.equal(putBack(kept, { present: () => [file], aside, clock }), [{ file, how: 'modified', outcome: 'kept' }]);
  assert.is(readFileSync(file, 'utf8'), 'mine');
});

test('a file that is too large to keep is seen to change, and left as it is', ({ root, aside }) => {
  const file = path.join(root, 'in/large');
  writeFileSync(file, '');
  truncateSync(file, 17 * MIB);
  const kept = keepFiles({ files: [file], folders: [], grounds: [root], copies: () => null });
  assert.equal(kept.unkept, [file]);
  truncateSync(file, 1);
  assert.equal(putBack(kept, { present: () => [file], aside, clock }), [{ file, how: 'modified', outcome: 'kept' }]);
  assert.is(lstatSync(file).size, 1);
});

test('a file that was not there must not appear', ({ root, aside }) => {
  const file = path.join(root, 'in/tollgate.yaml');
  const kept = keepAll(root, [file]);
  writeFileSync(file, 'x');
  assert.equal(putBack(kept, { present: () => [], aside, clock }), [{ file, how: 'added', outcome: 'put_back' }]);
  assert.not(existsSync(file));
});

test('more than 16 MiB in all are copied, however small each file is', ({ root }) => {
  const files = Array.from({ length: 17 }, (_, i) => path.join(root, `in/part-${i}`));
  for (const file of files) writeFileSync(file, Buffer.alloc(MIB, 'x'));
  const kept = [...keepAll(root, files).files.values()];
  assert.equal(
    [kept.filter((one) => one?.content != null).length, kept.filter((one) => one?.copy != null).length],
    [16, 1],
  );
});

test.run();
