// Tracks the members of a running process tree: whoever was seen as one stays one, even if its parents go.

import { nowMs } from '../steady-clock.ts';
import { look } from './look.ts';
import type { Tree } from './tree-types.ts';

/** How long after the start the first look is taken, and at least between two. */
const NOTE_MS = 250;

/** A look takes at most this part of our time; where many processes run, it is taken more seldom. */
const SHARE = 0.01;

/** Keeps `tree.seen` until what it returns is called. */
export function trackMembers(tree: Tree): () => void {
  let timer: NodeJS.Timeout | null = null;
  let over = false;
  const next = (afterMs: number) => {
    if (!over) timer = setTimeout(() => void note(), afterMs).unref();
  };
  const note = async () => {
    const began = nowMs();
    // What cannot be listed now is listed at the end.
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
