// Many processes append to one log and put it aside when it is full: no entry is lost, torn or doubled, and nothing planted is followed.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { layOut } from '../../../policies/api-errors/log-format.ts';
import { appendToLog } from '../../../state/api-errors/append.ts';
import { logFiles, readData, readLog } from '../../../state/api-errors/read.ts';
import { ownScript } from '../../rig/own-script.ts';
import { entryOf } from './entries.ts';

const test = suite<{ folder: string }>('a log of many writers');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'log-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const AT = new Date('2026-11-22T10:00:00.000Z');
const LOG = 'api_errors.log';
const append = (folder: string, text: string, maxBytes?: number, file = LOG) =>
  appendToLog(folder, file, text, () => AT, maxBytes);

function read(folder: string) {
  const found = logFiles(folder).flatMap((file) => [...readLog(file)]);
  return {
    calls: found.flatMap((one) => (one.how === 'entry' ? [one.entry.context.call_id] : [])),
    corrupt: found.filter(({ how }) => how === 'invalid').length,
  };
}

test('32 of them, while it is put aside again and again', async ({ folder }) => {
  const script = path.join(import.meta.dirname, 'appender.ts');
  const names = Array.from({ length: 32 }, (_, i) => `w${i}`);
  const ended = await Promise.all(
    names.map(async (name) => {
      const argv = [...ownScript(script), folder, '6000', name, '20'];
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
      return (await once(child, 'exit'))[0];
    }),
  );
  assert.equal([...new Set(ended)], [0]);
  const { calls, corrupt } = read(folder);
  assert.is(corrupt, 0);
  assert.equal([calls.length, new Set(calls).size], [640, 640]);
  assert.ok(readdirSync(folder).length > 20, 'it was put aside often');
});

test('put aside with its time before it grows over the limit, and each name is used once', ({ folder }) => {
  const text = layOut(...entryOf('c'));
  const room = Buffer.byteLength(text) * 2;
  for (let i = 0; i < 5; i += 1) append(folder, text, room);
  assert.equal(readdirSync(folder).sort(), [
    'api_errors.2026-11-22T10-00-00-000Z.log',
    'api_errors.2026-11-22T10-00-00-001Z.log',
    'api_errors.log',
  ]);
  assert.is(read(folder).calls.length, 5);
});

test('what is larger than the limit has a file of its own', ({ folder }) => {
  append(folder, layOut(...entryOf('small')), 2000);
  append(folder, layOut(...entryOf('large', 'x'.repeat(3000))), 2000);
  append(folder, layOut(...entryOf('small too')), 2000);
  assert.equal(read(folder).calls.sort(), ['large', 'small', 'small too']);
  assert.is(readdirSync(folder).length, 2);
});

test('half an entry that a crash left costs no other', ({ folder }) => {
  append(folder, layOut(...entryOf('a')));
  appendFileSync(path.join(folder, LOG), layOut(...entryOf('torn')).slice(0, 300));
  append(folder, layOut(...entryOf('b')));
  assert.equal(read(folder), { calls: ['a', 'b'], corrupt: 1 });
});

test('is private, also where somebody made it otherwise, with its folders', ({ folder }) => {
  const state = path.join(folder, '.tmp/state');
  append(state, 'x\n', undefined, 'api_errors/day.log');
  const modeOf = (place: string) => statSync(path.join(state, place)).mode & 0o777;
  assert.equal(['.', 'api_errors', 'api_errors/day.log'].map(modeOf), [0o700, 0o700, 0o600]);
  chmodSync(path.join(state, 'api_errors/day.log'), 0o644);
  append(state, 'x\n', undefined, 'api_errors/day.log');
  assert.is(modeOf('api_errors/day.log'), 0o600);
});

for (const [what, plant] of [
  ['a symbolic link', (file: string, aim: string) => symlinkSync(aim, file)],
  ['a FIFO', (file: string) => spawnSync('mkfifo', [file])],
  ['a folder', (file: string) => mkdirSync(file)],
] as const)
  test(`${what} in its place is not written to, and not read`, ({ folder }) => {
    const aim = path.join(folder, 'aim');
    writeFileSync(aim, 'whose');
    plant(path.join(folder, LOG), aim);
    const words = `${path.join(folder, LOG)} is ${what}, and no regular file; put it elsewhere`;
    assert.throws(
      () => append(folder, 'x\n'),
      (error: Error) => error.message === words,
    );
    assert.is(readFileSync(aim, 'utf8'), 'whose');
    assert.equal(read(folder).calls, []);
  });

test('a folder of it that leads elsewhere is not written to', ({ folder }) => {
  const [state, aim] = [path.join(folder, 'state'), path.join(folder, 'aim')] as const;
  mkdirSync(state);
  mkdirSync(aim);
  symlinkSync(aim, path.join(state, 'api_errors'));
  assert.throws(() => append(state, 'x\n', undefined, 'api_errors/day.log'), /symbolic link that leads out of/);
  assert.equal(readdirSync(aim), []);
});

test('a conversation is found again where the entry says, over the edges of what is read at once', ({ folder }) => {
  for (const chars of [0, 100_000, 262_140, 600_000]) {
    const [error, snapshot] = entryOf(`c${chars}`, 'x'.repeat(chars % 1000));
    append(folder, layOut(error, snapshot, JSON.stringify(['é'.repeat(chars)])));
  }
  const file = path.join(folder, LOG);
  const sizes = [...readLog(file)].map((one) => one.how === 'entry' && JSON.parse(readData(file, one.data)!)[0].length);
  assert.equal(sizes, [0, 100_000, 262_140, 600_000]);
});

test.run();
