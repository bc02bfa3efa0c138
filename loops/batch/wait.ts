// Waits for many calls and tasks at once. File events wake it; a clock looks where there are no events.

import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { lookAt } from '../../state/disk/regular-file.ts';
import { type Awaited, STATUS, type WaitOutcome } from './wait-outcome.ts';

export interface WaitOptions {
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
export function waitForAll(awaited: readonly Awaited[], options: WaitOptions): Promise<SettledWait[]> {
  const began = performance.now();
  const watch = createPathWatch();
  const results = new Map<Awaited, SettledWait>();
  const open = new Map<Awaited, Watched[]>();
  const byTheClock = new Set<Awaited>();

  return new Promise((resolve, reject) => {
    let clock: NodeJS.Timeout | undefined;
    let sweptAt = began;
    const deadline = setTimeout(() => guarded(expire), options.timeoutMs);
    const stopped = () => guarded(stopWaiting);

    function start(): void {
      for (const one of awaited) {
        const wake = () => guarded(() => look(one));
        open.set(
          one,
          one.files.map((file) => watch.add(file, wake)),
        );
      }
      lookAtAll(awaited);
      options.stop?.addEventListener('abort', stopped);
      if (options.stop?.aborted) stopWaiting();
      if (open.size === 0) finish();
      else schedule(0);
    }

    function lookAtAll(all: readonly Awaited[], when: 'now' | 'at_last' = 'now'): void {
      for (const one of all) look(one, when);
    }

    function look(one: Awaited, when: 'now' | 'at_last' = 'now'): void {
      if (!open.has(one)) return;
      const found = one.look(when);
      if (found.how === 'settled') settle(one, found.outcome);
      else if (found.next === 'on_change') byTheClock.delete(one);
      else if (!byTheClock.has(one)) {
        byTheClock.add(one);
        if (byTheClock.size === 1) schedule(0);
      }
    }

    function settle(one: Awaited, outcome: WaitOutcome): void {
      for (const watched of open.get(one) ?? []) watched.remove();
      open.delete(one);
      byTheClock.delete(one);
      const settled = { label: one.label, outcome, afterMs: Math.round(performance.now() - began) };
      results.set(one, settled);
      options.onSettled?.(settled);
      if (STATUS[outcome.how] === 'failed' && options.onFailure === 'stop_waiting') leaveRest();
      else if (open.size === 0) finish();
    }

    function stopWaiting(): void {
      lookAtAll([...open.keys()], 'at_last');
      leaveRest();
    }

    function leaveRest(): void {
      for (const one of [...open.keys()]) settle(one, { how: 'unsettled' });
      finish();
    }

    /** A marker that appears in the last moment still counts. */
    function expire(): void {
      lookAtAll([...open.keys()], 'at_last');
      for (const one of [...open.keys()])
        settle(one, { how: 'timed_out', afterMs: options.timeoutMs, without: one.lacking });
    }

    function tick(): void {
      const from = performance.now();
      const sweep = watch.blind() > 0 || from - sweptAt >= SWEEP_MS;
      if (sweep) watch.refresh();
      lookAtAll([...(sweep ? open.keys() : byTheClock)]);
      const now = performance.now();
      if (sweep) sweptAt = now;
      schedule(SHARE * (now - from));
    }

    function schedule(leastMs: number): void {
      clearTimeout(clock);
      if (open.size === 0) return;
      const everyMs = byTheClock.size > 0 || watch.blind() > 0 ? POLL_MS : SWEEP_MS;
      clock = setTimeout(() => guarded(tick), Math.max(everyMs, leastMs));
    }

    function finish(): void {
      clearTimeout(deadline);
      clearTimeout(clock);
      watch.close();
      options.stop?.removeEventListener('abort', stopped);
      resolve(awaited.map((one) => results.get(one)!));
    }

    /** The event loop calls these steps, so no caller could catch an error of theirs. */
    function guarded(step: () => void): void {
      try {
        step();
      } catch (error) {
        reject(error);
        finish();
      }
    }

    guarded(start);
  });
}

export interface PathWatch {
  /** @param wake called after every change; it may be called without one. */
  add(file: string, wake: () => void): Watched;
  /** Finds folders that were moved or replaced without an event. */
  refresh(): void;
  /** The number of folders that the system did not let us watch. */
  blind(): number;
  close(): void;
}

interface Watched {
  remove(): void;
}

interface Entry {
  file: string;
  wake: () => void;
  /** Where it is watched now, and the name in that folder that leads to it. */
  folder: Folder | null;
  name: string;
}

interface Folder {
  key: string;
  at: string;
  watcher: FSWatcher | null;
  entries: Set<Entry>;
}

export function createPathWatch(): PathWatch {
  /** By inode and path: a folder that was deleted and created again is another one. */
  const folders = new Map<string, Folder>();

  /** Watches the nearest existing folder. A deeper folder may appear before a new watch begins, so it searches again after one. */
  function arm(entry: Entry): void {
    for (;;) {
      const { at, inode, name } = nearestFolder(entry.file);
      const key = `${inode} ${at}`;
      if (entry.folder?.key === key) return;
      disarm(entry);
      const known = folders.get(key);
      const folder = known ?? open(at, key);
      folder.entries.add(entry);
      entry.folder = folder;
      entry.name = name;
      if (known !== undefined) return;
    }
  }

  function disarm(entry: Entry): void {
    const { folder } = entry;
    entry.folder = null;
    if (folder === null || !folder.entries.delete(entry) || folder.entries.size > 0) return;
    folder.watcher?.close();
    folders.delete(folder.key);
  }

  function open(at: string, key: string): Folder {
    const folder: Folder = { key, at, watcher: null, entries: new Set() };
    folders.set(key, folder);
    try {
      folder.watcher = watch(at, (_, name) => wakeIn(folder, name)).on('error', () => {
        folder.watcher?.close();
        folder.watcher = null;
      });
    } catch {
      // The machine allows no more watches, or the folder is not readable: the clock of the wait looks there.
    }
    return folder;
  }

  /** The system reports a folder that is moved or deleted under the folder's own name, or under none. */
  function wakeIn(folder: Folder, name: string | null): void {
    const isOfFolder = name === null || name === path.basename(folder.at);
    for (const entry of [...folder.entries]) {
      if (entry.folder !== folder || !(isOfFolder || entry.name === name)) continue;
      arm(entry);
      entry.wake();
    }
  }

  return {
    add(file, wake) {
      const entry: Entry = { file: path.resolve(file), wake, folder: null, name: '' };
      arm(entry);
      return { remove: () => disarm(entry) };
    },
    refresh() {
      for (const { entries } of [...folders.values()]) for (const entry of [...entries]) arm(entry);
    },
    blind: () => [...folders.values()].filter(({ watcher }) => watcher === null).length,
    close() {
      for (const { watcher } of folders.values()) watcher?.close();
      folders.clear();
    },
  };
}

function nearestFolder(file: string): { at: string; inode: number; name: string } {
  for (let at = path.dirname(file), name = path.basename(file); ; name = path.basename(at), at = path.dirname(at)) {
    const found = lookAt(at);
    if (found?.isDirectory()) return { at, inode: found.ino, name };
    if (at === path.dirname(at)) return { at, inode: 0, name };
  }
}
