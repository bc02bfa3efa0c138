// Snapshots: kept on disk, brought up to date after a break, and taken of trees that resist.

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesBetween, compareEntries } from '../../../loops/tree/changes.ts';
import { bareEntry, type TreeEntry } from '../../../loops/tree/entry.ts';
import { loadSnapshot, rebase, saveSnapshot } from '../../../loops/tree/snapshot.ts';
import { lineOf, TestTree } from '../../rig/tree.ts';

const test = suite<{ tree: TestTree; file: string }>('snapshots');
test.before.each((context) => {
  const tree = new TestTree({ a: 'a', b: 'b', c: 'c', d: 'd', 'deep/e': 'e' });
  Object.assign(context, { tree, file: path.join(tree.home, 'state/baseline') });
});
test.after.each(({ tree }) => tree.remove());

test('one is kept on disk, private and whole', async ({ tree, file }) => {
  tree.shell('ln -s a link; mkfifo pipe; git init -q .; git init -q sub; printf x > "$(printf "n\\n\\377")"');
  const before = await tree.snapshot();
  await saveSnapshot(file, before);
  const loaded = (await loadSnapshot(file))!;
  assert.equal(loaded, before);
  assert.is(statSync(file).mode & 0o777, 0o600);
  tree.shell('echo 2 > a');
  assert.equal((await tree.changesSince(loaded)).map(lineOf), ['modified a']);
});

test('one that is cut, changed or absent is none', async ({ tree, file }) => {
  await saveSnapshot(file, await tree.snapshot());
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  const broken = [
    '',
    '\n',
    'x',
    '{}\n',
    '[]\n',
    'null\n',
    text.slice(0, -5),
    lines.slice(0, 3).join('\n'),
    lines.slice(1).join('\n'),
  ];
  broken.push(text.replace('"format":1', '"format":2'), `${text}[]\n`, `${lines[0]}\n${lines[1]}\n`.repeat(3));
  for (const bytes of broken) {
    writeFileSync(file, bytes);
    assert.is(await loadSnapshot(file), null, JSON.stringify(bytes.slice(0, 80)));
  }
  assert.is(await loadSnapshot(`${file}.none`), null);
});

test('after a break the stage keeps its baseline, and a person may do what they like', async ({ tree }) => {
  const before = await tree.snapshot();
  tree.shell('echo agent > a; echo agent > b; rm c; echo agent > new; echo agent > gone');
  const afterAttempt = await tree.snapshot({ before });
  tree.shell('echo person > b; echo person > d; echo person > own; rm gone; echo c > deep/e; mv deep/e e');
  const baseline = rebase(before, afterAttempt, await tree.snapshot({ before: afterAttempt }));
  assert.equal((await tree.changesSince(baseline)).map(lineOf), ['modified a', 'deleted c', 'added new']);
  tree.shell('echo again > b; echo again > own; echo again > gone; rm a');
  assert.equal((await tree.changesSince(baseline)).map(lineOf), [
    'deleted a',
    'modified b',
    'deleted c',
    'added gone',
    'added new',
    'modified own',
  ]);
  assert.equal((await tree.changesSince(before)).length > 6, true);
});

test("a person's new pattern counts, a stage's does not", async ({ tree }) => {
  tree.commitAll();
  const before = await tree.snapshot();
  const afterAttempt = await tree.snapshot({ before });
  tree.shell('echo "*.log" > .gitignore; echo "*.o" > .git/info/exclude');
  const baseline = rebase(before, afterAttempt, await tree.snapshot({ before: afterAttempt }));
  tree.shell('echo x > x.log; echo x > x.o; echo y > y');
  assert.equal((await tree.changesSince(baseline)).map(lineOf), ['added y']);
  tree.shell('echo "*" > .git/info/exclude');
  assert.equal((await tree.changesSince(baseline)).map(lineOf), [
    'modified .git/info/exclude',
    'added x.log',
    'added x.o',
    'added y',
  ]);
});

test('what is written right after a snapshot is seen: not in the same tick of the clock', async ({ tree }) => {
  for (let round = 0; round < 20; round++) {
    writeFileSync(tree.at('a'), `${round % 2}`);
    const before = await tree.snapshot();
    writeFileSync(tree.at('a'), `${(round + 1) % 2}`);
    assert.equal((await tree.changesSince(before)).map(lineOf), ['modified a']);
  }
});

test('sockets are noted and never opened', async ({ tree }) => {
  const before = await tree.snapshot();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(tree.at('socket'), resolve));
  const changes = await tree.changesSince(before);
  await new Promise((resolve) => server.close(resolve));
  assert.equal(changes.map(lineOf), ['added socket']);
});

test('a path longer than the system takes is noted, not left out', async ({ tree }) => {
  const name = 'n'.repeat(200);
  const deep = Array(15).fill(name).join('/');
  const changes = await tree.changesBy(`mkdir -p ${deep} m/${deep}; echo x > m/${deep}/x; mv m ${deep}/m`);
  assert.equal(
    changes.map(({ how, path: at }) => [how, at.startsWith(name), at.endsWith(name)]),
    [['added', true, true]],
  );
});

test('a tree that changes under the scan is looked at to the end', async ({ tree }) => {
  tree.shell('mkdir many; cd many; seq 3000 | xargs touch');
  const before = await tree.snapshot();
  const steps = setInterval(() => tree.shell('rm -rf many deep'), 1);
  const after = await tree.snapshot({ before }).finally(() => clearInterval(steps));
  assert.ok(after.entries.has('a'));
  tree.shell('rm -rf many deep');
  const { length } = (await tree.changesSince(before)).filter(({ how }) => how === 'deleted');
  assert.is(length, 3001);
});

test('what is known from an earlier one is not read again', async ({ tree }) => {
  const earlier = await tree.snapshot();
  earlier.entries.get('a')!.text = 'known';
  const { entries } = await tree.snapshot({ earlier });
  assert.equal([entries.get('a')!.text, entries.get('b')!.text], ['known', earlier.entries.get('b')!.text]);
  tree.shell('echo b > b');
  const changed = await tree.snapshot({ before: earlier });
  assert.is.not(changed.entries.get('b')!.text, earlier.entries.get('b')!.text);
});

/** A file of which nothing but its stat is known, as in the rest of a large tree. */
const unknown = (more: Partial<TreeEntry>): TreeEntry => ({
  ...bareEntry('unreadable', ''),
  kind: 'file',
  mode: 0o644,
  text: null,
  ...more,
});

const UNKNOWN: [what: string, now: Partial<TreeEntry>, how: string[]][] = [
  ['nothing', {}, []],
  ['ctime alone', { ctimeMs: 1 }, ['modified']],
  ['inode alone', { ino: 1 }, ['modified']],
  ['size', { ctimeMs: 1, size: 1 }, ['modified']],
  ['mode', { ctimeMs: 1, mode: 0o755 }, ['mode']],
  ['mode and mtime', { ctimeMs: 1, mtimeMs: 1, mode: 0o755 }, ['modified']],
  ['a hash on one side', { ctimeMs: 1, text: 'x' }, ['modified']],
];
for (const [what, now, how] of UNKNOWN)
  test(`where the content is not known: ${what}`, () => {
    const found = compareEntries(new Map([['a', unknown({})]]), new Map([['a', unknown(now)]]));
    assert.equal(
      found.map((change) => change.how),
      how,
    );
  });

test('a folder that cannot be read is a change, and no crash', async ({ tree }) => {
  const root = process.geteuid?.() === 0;
  // Nothing keeps root out.
  if (root) tree.shell('chmod 755 ..; chown -R 65534 .');
  if (root) process.seteuid?.(65534);
  try {
    const before = await tree.snapshot();
    chmodSync(tree.at('deep'), 0);
    const after = await tree.snapshot({ before });
    assert.equal((await changesBetween(before, after)).map(lineOf), ['added deep', 'deleted deep/e']);
    assert.is(after.entries.get('deep')?.text, 'EACCES');
    chmodSync(tree.at('deep'), 0o755);
  } finally {
    if (root) process.seteuid?.(0);
  }
});

test('others get their turn while a tree is looked at', async ({ tree }) => {
  tree.shell('i=0; while [ $i -lt 20 ]; do mkdir m$i; (cd m$i; seq 1000 | xargs touch); i=$((i+1)); done');
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 1);
  const before = await tree.snapshot();
  clearInterval(turning);
  assert.ok(turns > 1, `${turns} turns`);
  assert.equal(await changesBetween(before, before), []);
});

test.run();
