// Tracks the members of a running process tree: a process seen as a member stays one, even after its parents end.

import { nowMs } from '../steady-clock.ts';
import { look } from './look.ts';
import type { Tree } from './tree-types.ts';

/** The time from the start to the first look, and the least time between two. */
const NOTE_MS = 250;

/** A look takes at most this share of our time. With many processes, looks are less frequent. */
const SHARE = 0.01;

/** Updates `tree.seen` until the returned function is called. */
export function trackMembers(tree: Tree): () => void {
  let timer: NodeJS.Timeout | null = null;
  let over = false;
  const next = (afterMs: number) => {
    if (!over) timer = setTimeout(() => void note(), afterMs).unref();
  };
  const note = async () => {
    const began = nowMs();
    // Processes that cannot be listed now are listed at the end.
    const seen = await look(tree, tree.seen ?? null).catch(() => null);
    if (over) return;
    if (seen !== null) tree.seen = seen;
    next(Math.max(NOTE_MS, (nowMs() - began) / SHARE));
  };
  next(NOTE_MS);
  return () => {
    over = true;
    if (timer !== null) clearTimeout(timer);
  };
}
