// What the system cannot start is told by its first bytes, and nothing that it can start is refused.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenInstall, ignoredBy, judge } from '../../wrappers/startable.ts';

const test = suite<{ folder: string }>('startable');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'startable-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const LINUX = { platform: 'linux', arch: 'x64', searchPath: '/usr/bin:/bin', emulates: () => false } as const;

/** A header of ELF with one entry in its table, the name of its loader. */
function elf({ machine = 62, loader = '/bin/sh' }: { machine?: number; loader?: string } = {}): Buffer {
  const head = Buffer.alloc(512);
  head.write('\x7fELF', 'latin1');
  head.set([2, 1, 1], 4);
  head.writeUInt16LE(machine, 18);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(3, 64);
  head.writeBigUInt64LE(200n, 64 + 8);
  head.writeBigUInt64LE(BigInt(loader.length + 1), 64 + 32);
  head.write(`${loader}\0`, 200, 'latin1');
  return head;
}

const machO = Buffer.alloc(64);
machO.writeUInt32LE(0xfeedfacf, 0);

const ROWS: [what: string, bytes: Buffer | string, says: RegExp | null][] = [
  ['nothing', '', /is empty \(0 bytes\)/],
  ['a script', '#!/bin/sh\nexit 0\n', null],
  ['a script without a first line', 'echo hello\n', null],
  ['a script of env', '#!/usr/bin/env sh\n', null],
  ['a script of env -S', '#!/usr/bin/env -S A=b sh -e\n', null],
  ['a script whose interpreter is gone', '#!/opt/gone/node\n', /needs \/opt\/gone\/node, which is not there/],
  ['a script of env without its program', '#!/usr/bin/env no-such-node\n', /needs no-such-node, .*not on the PATH/],
  ['a program', elf(), null],
  ['a program for another machine', elf({ machine: 183 }), /is a program for arm64, and this machine is x64/],
  ['a program for 32 bits', elf({ machine: 3 }), null],
  ['a program of another C library', elf({ loader: '/lib/ld-none.so.1' }), /needs \/lib\/ld-none\.so\.1/],
  ['a program that is cut off', elf().subarray(0, 30), /is cut off/],
  ['a program for macOS', machO, /is a program for macOS/],
  ['a program for Windows', 'MZ\x90\0\x03\0\0\0', /is a program for Windows/],
  ['white space', ' \n\r\n', /holds nothing but white space/],
  ['a script whose first line ends in CR LF', '#!/usr/bin/env node\r\nrun()\r\n', /ends in CR LF/],
  ['random bytes', Buffer.from([7, 0, 1, 2, 3, 0, 9]), /its format is unknown/],
];

for (const [what, bytes, says] of ROWS)
  test(what, ({ folder }) => {
    const file = path.join(folder, 'cli');
    writeFileSync(file, bytes);
    const broken = judge(file, LINUX)?.why ?? null;
    if (says === null) assert.is(broken, null);
    else assert.match(broken ?? '', says);
  });

test('what an emulator may start is not judged', ({ folder }) => {
  const file = path.join(folder, 'cli');
  writeFileSync(file, elf({ machine: 183 }));
  assert.is(judge(file, { ...LINUX, emulates: () => true }), null);
});

test('the Node that runs this can be started', () => {
  const cli = { binary: 'node', packageName: '' };
  assert.is(brokenInstall(cli, process.execPath, process.env.PATH), null);
  assert.ok(readFileSync(process.execPath).length > 1000);
});

if (process.platform === 'linux')
  for (const bytes of [8192, 400_000])
    test(`the first ${bytes} bytes of a program are cut off`, ({ folder }) => {
      const file = path.join(folder, 'cli');
      writeFileSync(file, readFileSync(process.execPath).subarray(0, bytes));
      assert.match(
        judge(file, { ...LINUX, arch: process.arch })?.why ?? '',
        /is cut off: it has \d+ bytes, and loads \d+/,
      );
    });

test('one that works and stands later on the PATH is named', ({ folder }) => {
  const [first, second, third] = ['first', 'second', 'third'].map((name) => {
    mkdirSync(path.join(folder, name));
    return path.join(folder, name, 'cli');
  }) as [string, string, string];
  for (const [file, text] of [
    [first, ''],
    [second, '#!/opt/gone/node\n'],
    [third, '#!/bin/sh\n'],
  ] as const) {
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
  const searchPath = [first, second, third].map((file) => path.dirname(file)).join(':');
  const broken = brokenInstall({ binary: 'cli', packageName: 'some-cli' }, first, searchPath);
  assert.match(broken?.fix ?? '', `${third} can be started`);
  assert.match(broken?.fix ?? '', 'npm install -g some-cli');
});

test('a container has the settings of the working folder, and another machine may not', () => {
  const why = 'is not a JSON object';
  const own = { what: 'settings', file: '/project/.claude/settings.json', why } as const;
  const ignores = () => [own, { what: 'settings', file: '/home/me/.claude/settings.json', why } as const];
  const request = { cwd: '/project', environment: {}, trustWorkspace: false };
  assert.is(ignoredBy({ ignores }, request).length, 2);
  assert.equal(ignoredBy({ ignores, prefix: ['docker', 'run', 'image'] }, request), [own]);
  assert.equal(ignoredBy({ ignores, prefix: ['ssh', 'host'] }, request), []);
});

test.run();
