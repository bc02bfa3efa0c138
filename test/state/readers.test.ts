// Every reader of what others may have written answers, whatever is in the place: no hang, no bug, no memory; and no other reader exists.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ownScript } from '../rig/own-script.ts';
import { READERS } from '../rig/readers.ts';
import type { Said } from '../rig/readers-child.ts';

const THINGS = [
  'FIFO',
  'folder',
  'link to /dev/zero',
  'link loop',
  'socket',
  'device',
  '3 GB',
  'bytes that are no text',
  'null',
  'an empty list',
  'objects of nothing',
];
/** Tells a reader that hangs from one that is slow on a busy machine. */
const HANGS_MS = 200_000;
const MAX_GROWTH = 20 * 1024 * 1024;

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('SKIPPED: a device, which root alone can make');

test('every reader answers, whatever is in the place', async () => {
  const things = THINGS.filter((thing) => thing !== 'device' || isRoot);
  const said = await open(things);
  const ended = said.filter((line) => line.how !== 'begun');
  for (const thing of things) {
    const [worst] = ended.filter((line) => line.thing === thing).sort((a, b) => b.ms - a.ms);
    console.log(`${thing}: the slowest took ${worst!.ms.toFixed(1)} ms (${worst!.reader})`);
  }
  const wrong = ended.flatMap(({ thing, reader, how, words, grewBytes }) => [
    ...(how === 'bug' ? [`${reader} on ${thing}: ${words}`] : []),
    ...(grewBytes > MAX_GROWTH ? [`${reader} on ${thing}: ${grewBytes} bytes`] : []),
  ]);
  assert.equal(wrong, []);
  assert.is(ended.length, READERS.length * things.length);
});

/** Throws with the reader's name where one hangs. */
async function open(things: readonly string[]): Promise<Said[]> {
  const argv = ['--expose-gc', ...ownScript(path.join(import.meta.dirname, '../rig/readers-child.ts')), ...things];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: Said[] = [];
  let timer = setTimeout(() => {}, 0);
  const rearm = () => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
  };
  rearm();
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(JSON.parse(line) as Said);
    rearm();
  }
  clearTimeout(timer);
  const last = said.at(-1);
  if (last === undefined || last.how === 'begun')
    throw new Error(`${last === undefined ? 'the child' : `${last.reader} on ${last.thing}`} hangs, or died`);
  return said;
}

/** Why a file may read by itself; all others go through state/disk/. */
const DIRECT: Record<string, string> = {
  'bin/command.ts': '/proc',
  'bin/help/kept-help.ts': 'a file of the build, beside the bundle that reads it',
  'bin/tollgate/completion/table.ts': 'files of the build, beside the bundle that reads them',
  'bin/wrapper/piped-prompt.ts': 'a pipe that a person hands over, within its time',
  'bin/tollgate/triage/input.ts': 'what a person names, or standard input: a pipe on purpose',
  'bin/tollgate/sessions/undo-send.ts': 'what a person names (--edit-file): a pipe on purpose',
  'loops/session/replace-session.ts': 'makes a file of its own',
  'loops/distill/book/book-text.ts': 'streams by a descriptor of state/disk/',
  'loops/distill/book/book.ts': 'streams by a descriptor of state/disk/',
  'loops/tree/walk.ts': 'opens without waiting or following, and looks at the kind by the descriptor',
  'loops/tree/copies.ts': 'copies what it has just seen to be a file, when no agent runs',
  'loops/tree/restore.ts': 'copies its own copy, which it has just seen to be a file',
  'loops/tree/gitignore.ts': 'opens without waiting or following',
  'loops/tree/separate-index.ts': "copies git's index, which it has just seen to be a file",
  'loops/task/read-text.ts': 'opens without waiting, and looks at the kind by the descriptor',
  'state/folder-watch.ts': '/proc',
  'loops/guard/kept-files.ts': 'copies by the descriptor that the careful reader opened, and makes a file of its own',
  'loops/upkeep/sweep.ts': '/proc',
  'state/corpus.ts': 'a pipe that a person names',
  'state/compare-and-swap-file.ts': 'copies what it has just seen to be a file, and makes files of its own',
  'state/append-line.ts': 'opens folders alone',
  'state/volume.ts': 'makes a file of its own',
  'wrappers/gemini/sessions/listed.ts': 'makes a file of its own',
  'wrappers/gemini/sessions/store.ts': '/proc',
  'wrappers/kernel-walls.ts': '/proc and /sys',
  'wrappers/processes/cgroup.ts': '/proc and /sys',
  'wrappers/processes/linux.ts': '/proc',
  'wrappers/run.ts': 'makes the files of a call in a folder of its own, before its CLI runs',
  'wrappers/sessions/in-use.ts': '/proc',
  'wrappers/startable.ts': 'a program that was found to be a regular file',
};

const READS =
  /\b(?:readFile|readFileSync|openSync|createReadStream|copyFile|copyFileSync|cp|cpSync|open)(?=\s*[,}])(?=[^;]*from 'node:fs(?:\/promises)?')/;

test('no other file opens what may be strange by itself', () => {
  const direct = ['bin', 'loops', 'state', 'wrappers', 'policies']
    .flatMap((room) => readdirSync(room, { recursive: true }).map((name) => path.join(room, String(name))))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('state/disk/'))
    .filter((file) => importsOfDisk(readFileSync(file, 'utf8')).some((line) => READS.test(line)))
    .sort();
  assert.equal(direct, Object.keys(DIRECT).sort());
});

const importsOfDisk = (source: string): string[] =>
  [...source.matchAll(/^import [^;]*?from 'node:fs(?:\/promises)?';/gm)].map(([line]) => line);

test.run();
