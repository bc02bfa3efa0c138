// What preflight says about the place where state is kept.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkReach, checkSpace, checkTemporary, checkWritable, isRemote, judgeSpace } from '../../state/checks.ts';
import { where } from '../rig/where-possible.ts';

const test = suite('state checks');
const onLinux = where('linux', test);
const folder = mkdtempSync(path.join(tmpdir(), 'state-'));
test.after(() => rmSync(folder, { recursive: true }));

const MIB = 1024 ** 2;
const FIX = 'free some disk space, or point TOLLGATE_STATE at another disk';

const SPACE: readonly [bytes: number, files: number | null, status: string, found: string][] = [
  [5000 * MIB, null, 'ok', '4.9 GiB free'],
  [1024 * MIB, 1000, 'ok', '1.0 GiB free'],
  [1024 * MIB - 1, 1000, 'warn', '1023 MiB free'],
  [100 * MIB, null, 'warn', '100 MiB free'],
  [100 * MIB - 1, null, 'fail', '99 MiB free: an answer that was paid may not be saved'],
  [5000 * MIB, 999, 'fail', 'room for 999 more files only'],
];

for (const [bytes, files, status, found] of SPACE)
  test(`${bytes} bytes and ${files ?? 'any number of'} files free: ${status}`, () =>
    assert.equal(judgeSpace(bytes, files), { status, found, fix: status === 'ok' ? null : FIX }));

const SOURCES: readonly [source: string | null, remote: boolean][] = [
  ['server:/export/home', true],
  ['10.0.0.4:/vol', true],
  ['//me@nas/share', true],
  ['/dev/disk3s1', false],
  ['map auto_home', false],
  ['tmpfs', false],
  [null, false],
];

for (const [source, remote] of SOURCES)
  test(`"${source}" is ${remote ? '' : 'not '}of another machine`, () => assert.is(isRemote(source), remote));

test('a folder that is not made yet is tried where it would be made, and nothing is left there', async () => {
  const stateFolder = path.join(folder, 'not/made/yet');
  assert.equal(await checkWritable({ stateFolder, sourceOf: null }), { status: 'ok', found: stateFolder, fix: null });
  assert.equal(readdirSync(folder), []);
});

test('a file in the way is named', async () => {
  writeFileSync(path.join(folder, 'file'), '');
  const answer = await checkWritable({ stateFolder: path.join(folder, 'file/.tmp'), sourceOf: null });
  assert.equal(answer, {
    status: 'fail',
    found: `${folder}/file is a file, but state is kept in the folder ${folder}/file/.tmp`,
    fix: 'point TOLLGATE_STATE at a folder on a local disk that you may write',
  });
  rmSync(path.join(folder, 'file'));
});

test('a $TMPDIR that is missing, or a file, is named with what to do', async () => {
  assert.is(await checkTemporary({ environment: { TMPDIR: folder } }), null);
  assert.is(await checkTemporary({ environment: {} }), null);
  writeFileSync(path.join(folder, 'file'), '');
  for (const [name, code] of [
    ['no such', 'ENOENT'],
    ['file', 'ENOTDIR'],
  ] as const) {
    const at = path.join(folder, name);
    const word = name === 'file' ? at : `'${at}'`;
    assert.equal(await checkTemporary({ environment: { TMPDIR: at } }), {
      status: 'fail',
      found: `${at} cannot be written: ${code}`,
      fix: `make it a folder that you may write (mkdir -p ${word}), or unset TMPDIR`,
    });
  }
  rmSync(path.join(folder, 'file'));
});

onLinux('a folder that cannot be written says why', async () => {
  const answer = await checkWritable({ stateFolder: '/proc/state', sourceOf: null });
  assert.is(answer?.status, 'fail');
  assert.match(answer!.found, /^\/proc cannot be written: E(NOENT|ACCES|PERM)/);
});

test('this disk has room and is local', async () => {
  const place = { stateFolder: folder, sourceOf: async () => '/dev/disk' };
  assert.is.not((await checkSpace(place))?.status, undefined);
  assert.is.not((await checkReach(place))?.status, 'fail');
});

test.run();
