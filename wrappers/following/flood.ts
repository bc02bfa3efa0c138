// Reads a flood. It skips whole repetitions of text that repeats many times, as if the CLI had written it less often.

import { readSync } from 'node:fs';
import { keepYoungHeapSmall } from '../heap-limits.ts';

/** Reads at most one piece at a position, and passes on the part that must be examined. Returns how many bytes it has read. */
export type Flood = (fd: number, position: number, take: (bytes: Buffer) => void, most?: number) => number;

const PIECE = 64 * 1024;
/** How many of the preceding bytes are kept. */
const BEFORE = 16 * 1024;
/** Small, so that the text of a flood is garbage before it is moved to the old heap. */
const TAKEN = 16 * 1024;

/** @param countEvents of the text so far: text that yields an event is never skipped. null: none is skipped. */
export function openFlood(countEvents: (() => number) | null): Flood {
  keepYoungHeapSmall();
  const buffer = Buffer.allocUnsafeSlow(BEFORE + PIECE);
  let before = 0;
  let counted = Number.NaN;
  let silentFrom = 0;
  return (fd, position, take, most = PIECE) => {
    const read = readSync(fd, buffer, before, Math.min(PIECE, most), position);
    const all = buffer.subarray(0, before + read);
    const count = countEvents?.() ?? -1;
    if (count !== counted) silentFrom = position;
    counted = count;
    const period = countEvents === null || position - silentFrom < BEFORE ? 0 : periodOf(all);
    // The text passed on before contains the skipped text twice.
    const isKnown = period > 0 && 2 * period <= before;
    for (let from = before + (isKnown ? read - (read % period) : 0); from < all.length; from += TAKEN)
      take(all.subarray(from, from + TAKEN));
    before = all.copy(buffer, 0, Math.max(0, all.length - BEFORE));
    return read;
  };
}

/** The bytes repeat if this many of their first bytes occur again. */
const PROBE = 1024;

/** Returns the length of the part of the bytes that repeats up to their end; 0 if none does. */
function periodOf(bytes: Buffer): number {
  if (bytes.length < 2 * PROBE) return 0;
  const period = bytes.indexOf(bytes.subarray(0, PROBE), 1);
  return period > 0 && bytes.compare(bytes, period, bytes.length, 0, bytes.length - period) === 0 ? period : 0;
}
