// Waits for the end of a carried run, as long as the caller wants; when the caller stops waiting, the run continues.

import path from 'node:path';
import { type CarriedStanding, standingOf } from './carried-standing.ts';
import { createFolderWatch } from './folder-watch.ts';

interface Waiting {
  folder: string;
  run: string;
  atMostMs: number;
  /** Aborted when the caller no longer waits. */
  stop: AbortSignal;
  /** Called every few seconds while the run continues. */
  tick(elapsedMs: number): void;
}

/** The interval of checks; the death of a process raises no event. */
const LOOK_MS = 1000;

/** Returns the final state, or 'running' if the time was over first. */
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
