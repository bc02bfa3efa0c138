// Waits for many calls and tasks at once. File events wake it; a clock looks where there are no events.

import path from 'node:path';
import { isFolder } from '../../state/disk/regular-file.ts';
import { createFolderWatch } from '../../state/folder-watch.ts';
import { type Awaited, STATUS, type WaitOutcome } from './wait-outcome.ts';

interface WaitOptions {
  timeoutMs: number;
  /** `stop_waiting`: the first failure ends the wait for all others. */
  onFailure: 'wait_on' | 'stop_waiting';
  /** Called once for each task as it settles. */
  onSettled?: (settled: SettledWait) => void;
  /** Ends the wait at once. */
  stop?: AbortSignal;
}

export interface SettledWait {
  label: string;
  outcome: WaitOutcome;
  /** Since the wait began. */
  afterMs: number;
}

/** How often the wait checks processes, and how often it looks at everything in case an event was lost. */
const POLL_MS = 200;
const SWEEP_MS = 2000;

/** Looks by the clock use at most one part in so many of a processor: with many thousand tasks they are less frequent. */
const SHARE = 50;

/** @returns the outcome of each, in the order given. */
export async function waitForAll(awaited: readonly Awaited[], options: WaitOptions): Promise<SettledWait[]> {
  const { timeoutMs, stop = new AbortController().signal } = options;
  const began = performance.now();
  const watch = createFolderWatch();
  const results = new Map<Awaited, SettledWait>();
  /** With the places that are watched for each. */
  const open = new Map<Awaited, readonly Place[]>(awaited.map((one) => [one, []]));
  const byTheClock = new Set<Awaited>();
  const leftMs = () => began + timeoutMs - performance.now();

  /** @returns whether the system lets us watch all folders. */
  function arm(due: Iterable<Awaited>): boolean {
    for (const one of due) if (open.has(one)) open.set(one, one.files.map(placeOf));
    return watch.keep(new Set([...open.values()].flatMap((places) => places.map(({ folder }) => folder))));
  }

  function look(one: Awaited, when: 'now' | 'at_last' = 'now'): void {
    if (!open.has(one)) return;
    const found = one.look(when);
    if (found.how === 'settled') settle(one, found.outcome);
    else if (found.next === 'on_change') byTheClock.delete(one);
    else byTheClock.add(one);
  }

  function settle(one: Awaited, outcome: WaitOutcome): void {
    open.delete(one);
    byTheClock.delete(one);
    const settled = { label: one.label, outcome, afterMs: Math.round(performance.now() - began) };
    results.set(one, settled);
    options.onSettled?.(settled);
    if (STATUS[outcome.how] === 'failed' && options.onFailure === 'stop_waiting') settleRest(() => UNSETTLED);
  }

  function settleRest(outcomeOf: (one: Awaited) => WaitOutcome): void {
    for (const one of [...open.keys()]) settle(one, outcomeOf(one));
  }

  try {
    let isSeen = arm(awaited);
    // All are looked at now.
    watch.take();
    for (const one of awaited) look(one);
    let sweptAt = began;
    for (let clockAt = performance.now() + POLL_MS; ; ) {
      // A marker that appears in the last moment still counts.
      if (stop.aborted || leftMs() <= 0) {
        for (const one of awaited) look(one, 'at_last');
        settleRest(({ lacking }) =>
          stop.aborted ? UNSETTLED : { how: 'timed_out', afterMs: timeoutMs, without: lacking },
        );
      }
      if (open.size === 0) return awaited.map((one) => results.get(one)!);
      await watch.change(Math.min(Math.max(0, clockAt - performance.now()), leftMs()), stop);
      const from = performance.now();
      const changed = watch.take();
      const isByTheClock = from >= clockAt;
      const isSweep = isByTheClock && (!isSeen || from - sweptAt >= SWEEP_MS);
      const isDue = ([one, places]: [Awaited, readonly Place[]]) =>
        isSweep ||
        (isByTheClock && byTheClock.has(one)) ||
        places.some(({ folder, name }) => changed.get(folder)?.has(null) || changed.get(folder)?.has(name));
      const due = [...open].filter(isDue).map(([one]) => one);
      if (due.length > 0) isSeen = arm(due);
      for (const one of due) look(one);
      const now = performance.now();
      if (isSweep) sweptAt = now;
      const everyMs = byTheClock.size > 0 || !isSeen ? POLL_MS : SWEEP_MS;
      if (isByTheClock) clockAt = now + Math.max(everyMs, SHARE * (now - from));
      else if (due.length > 0) clockAt = Math.min(clockAt, now + everyMs);
    }
  } finally {
    watch.close();
  }
}

const UNSETTLED = { how: 'unsettled' } as const;

interface Place {
  folder: string;
  name: string;
}

/** The nearest existing folder, and the name in it that leads to the file. */
export function placeOf(file: string): Place {
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    const folder = path.dirname(at);
    if (isFolder(folder) || folder === at) return { folder, name: path.basename(at) };
  }
}
