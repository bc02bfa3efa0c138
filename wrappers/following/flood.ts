// Reads a flood: of what repeats itself over and over, whole repetitions are passed over, as if it had been said less often.

import { readSync } from 'node:fs';
import { periodOf } from '../../policies/scan/period.ts';
import { keepYoungHeapSmall } from '../heap-limits.ts';

/** Reads what stands at a position, a piece at the most, and hands on what of it must be looked at; how many bytes it has read. */
export type Flood = (fd: number, position: number, take: (bytes: Buffer) => void, most?: number) => number;

const PIECE = 64 * 1024;
/** Of what went before, so much is held. */
const BEFORE = 16 * 1024;
/** Small, so that the text of a flood is garbage before it is moved to the old heap. */
const TAKEN = 16 * 1024;

/** @param told how many events what was handed on has told: each counts, so that what tells one is never passed over. null: nothing is. */
export function openFlood(told: (() => number) | null): Flood {
  keepYoungHeapSmall();
  const buffer = Buffer.allocUnsafeSlow(BEFORE + PIECE);
  let before = 0;
  let counted = Number.NaN;
  let silentFrom = 0;
  return (fd, position, take, most = PIECE) => {
    const read = readSync(fd, buffer, before, Math.min(PIECE, most), position);
    const all = buffer.subarray(0, before + read);
    const count = told?.() ?? -1;
    if (count !== counted) silentFrom = position;
    counted = count;
    const period = told === null || position - silentFrom < BEFORE ? 0 : periodOf(all);
    // What is passed over stands twice in what was handed on.
    const isKnown = period > 0 && 2 * period <= before;
    for (let from = before + (isKnown ? read - (read % period) : 0); from < all.length; from += TAKEN)
      take(all.subarray(from, from + TAKEN));
    before = all.copy(buffer, 0, Math.max(0, all.length - BEFORE));
    return read;
  };
}
