// Opens every reader on each kind of thing; prints a line of JSON before and after each, so that a test sees where it hangs.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isSystemError, refusalOf } from '../../state/system-error.ts';
import { SessionFileError } from '../../wrappers/sessions/store.ts';
import { makeHuge } from './huge-file.ts';
import { peakKib } from './peak-memory.ts';
import { placeIn, READERS } from './readers.ts';

export type Said =
  | { thing: string; reader: string; how: 'begun' }
  /** `grewBytes`: the increase of the peak memory. */
  | {
      thing: string;
      reader: string;
      how: 'answered' | 'refused' | 'bug';
      ms: number;
      grewBytes: number;
      words: string;
    };

/** @returns an object that keeps the thing in place. */
const THINGS: Record<string, (file: string) => unknown> = {
  nothing: () => {},
  FIFO: (file) => execFileSync('mkfifo', [file]),
  folder: (file) => {
    mkdirSync(file);
    writeFileSync(path.join(file, 'x'), '');
  },
  'link to /dev/zero': (file) => symlinkSync('/dev/zero', file),
  'link loop': (file) => symlinkSync(file, file),
  socket: (file) =>
    new Promise((resolve) =>
      createServer()
        .listen(file, () => resolve(null))
        .unref(),
    ),
  device: (file) => execFileSync('mknod', [file, 'c', '1', '5']),
  '3 GB': makeHuge,
  'bytes that are no text': (file) =>
    writeFileSync(file, Buffer.from([0xff, 0x00, 0x7b, 0x0a, 0xc3, 0x28, 0x22, 0x0a])),
  null: (file) => writeFileSync(file, 'null\n'),
  'an empty list': (file) => writeFileSync(file, '[]\n[null]\n'),
  'objects of nothing': (file) =>
    writeFileSync(file, `${'{"v":1,"ticket":{"id":"a","owner":null},"files":null}\n'.repeat(3)}`),
};

const say = (said: Said) => writeSync(1, `${JSON.stringify(said)}\n`);
const root = mkdtempSync(path.join(tmpdir(), 'rd-'));
process.umask(0o077);
// The modules that are loaded on the way must not count as growth of a reader.
await all('nothing', () => {});
await all('null', () => {});
for (const thing of process.argv.slice(2)) await all(thing, say);
rmSync(root, { recursive: true, force: true });
process.exit(0);

async function all(thing: string, tell: (said: Said) => void): Promise<void> {
  for (const reader of READERS) {
    const world = mkdtempSync(path.join(root, 'w-'));
    await THINGS[thing]!(placeIn(world, reader));
    tell({ thing, reader: reader.name, how: 'begun' });
    globalThis.gc?.();
    const [before, peak, from] = [process.memoryUsage.rss(), peakKib(), performance.now()];
    let how: 'answered' | 'refused' | 'bug' = 'answered';
    let words = '';
    try {
      await reader.read(world);
    } catch (error) {
      words = (error as Error).stack ?? String(error);
      how = isExpected(error) ? 'refused' : 'bug';
    }
    const ms = performance.now() - from;
    const after = peakKib();
    const grewBytes = Math.max(process.memoryUsage.rss(), after > peak ? after * 1024 : 0) - before;
    tell({ thing, reader: reader.name, how, ms, grewBytes, words });
    rmSync(world, { recursive: true, force: true });
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof SessionFileError || refusalOf(error) !== null || isSystemError(error);
}
