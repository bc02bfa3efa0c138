// Waits for the end of a carried run, as long as somebody wants to; whoever waits no longer ends nothing.

import path from 'node:path';
import { createFolderWatch } from '../now/folder-watch.ts';
import { type CarriedStanding, standingOf } from './standing.ts';

interface Waiting {
  folder: string;
  run: string;
  atMostMs: number;
  /** Nobody waits any more. */
  stop: AbortSignal;
  /** Called while it runs, some seconds apart. */
  tick(elapsedMs: number): void;
}

/** A process that dies tells no watch. */
const LOOK_MS = 1000;

/** How it stands then: 'running' where the time was over first. */
export async function awaitEnd({ folder, run, atMostMs, stop, tick }: Waiting): Promise<CarriedStanding> {
  const began = performance.now();
  const watch = createFolderWatch();
  try {
    watch.keep(new Set([path.join(folder, run)]));
    for (;;) {
      watch.take();
      const standing = await standingOf(folder, run, new Date());
      const elapsedMs = performance.now() - began;
      if (standing.how !== 'running' || stop.aborted || elapsedMs >= atMostMs) return standing;
      tick(elapsedMs);
      await watch.change(Math.min(LOOK_MS, atMostMs - elapsedMs), stop);
    }
  } finally {
    watch.close();
  }
}
