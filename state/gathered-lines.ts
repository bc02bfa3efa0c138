// The lines of a file that is about to be written: what is new of them lies in a file without a name meanwhile, since in memory it would be most of it.

import { closeSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './disk/folder.ts';
import { openBeside } from './disk/replace-file.ts';
import { type KeptLines, piecesOf } from './kept-lines.ts';

interface GatheredLines {
  /** Those of the file before that stay as they were. */
  addKept(from: number, to: number): void;
  /** With its newline. Throws what the operating system throws. */
  addText(text: string): void;
  /** All, in the order in which they were added, each piece good until the next. Throws the same. */
  pieces(): Generator<Buffer>;
  close(): void;
}

const PAGE_BYTES = 1024 * 1024;

interface Stretch {
  of: 'before' | 'fresh';
  from: number;
  to: number;
}

/** @param file which is to be written; what is new lies beside it. */
export function gatherLines(file: string, before: KeptLines | null): GatheredLines {
  const stretches: Stretch[] = [];
  let page = Buffer.alloc(0);
  let filled = 0;
  let fresh: number | null = null;
  let freshBytes = 0;
  const add = (of: Stretch['of'], from: number, to: number) => {
    const last = stretches.at(-1);
    if (last?.of === of && last.to === from) last.to = to;
    else stretches.push({ of, from, to });
  };
  const flush = () => {
    if (filled === 0) return;
    fresh ??= openNameless(file);
    writeFileSync(fresh, page.subarray(0, filled));
    filled = 0;
  };
  return {
    addKept: (from, to) => add('before', from, to),
    addText(text) {
      const bytes = Buffer.byteLength(text);
      if (filled + bytes > page.length) {
        flush();
        if (bytes > page.length) page = Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, bytes));
      }
      filled += page.write(text, filled);
      add('fresh', freshBytes, freshBytes + bytes);
      freshBytes += bytes;
    },
    *pieces() {
      flush();
      for (const { of, from, to } of stretches)
        if (of === 'before') yield* before!.pieces(from, to);
        else yield* piecesOf(fresh!, from, to);
    },
    close() {
      if (fresh !== null) closeSync(fresh);
      fresh = null;
    },
  };
}

/** Whatever becomes of us, nothing is left of it. */
function openNameless(beside: string): number {
  makeFolder(path.dirname(beside));
  const { temporary, fd } = openBeside(beside);
  unlinkSync(temporary);
  return fd;
}
