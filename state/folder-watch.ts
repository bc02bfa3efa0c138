// Watches folders for changes; a slow sweep finds what no watch reports, such as a process that dies.

import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import path from 'node:path';
import { tried } from '../policies/text/tried.ts';

interface FolderWatch {
  /** Sets the watched folders, and retries failed ones. @param suspects those that may be new; all by default. @returns whether all are watched. */
  keep(folders: ReadonlySet<string>, suspects?: ReadonlySet<string>): boolean;
  /** Resolves at the next change, after `atMostMs`, or when `stop` aborts. */
  change(atMostMs: number, stop: AbortSignal): Promise<void>;
  /** Returns the folders in which something changed since the last call, with the names in them; null: perhaps all. */
  take(): Map<string, Set<string | null>>;
  close(): void;
}

export function createFolderWatch(): FolderWatch {
  const watchers = new Map<string, { inode: number; watcher: FSWatcher }>();
  let changed: ReturnType<FolderWatch['take']> = new Map();
  let wake: (() => void) | null = null;
  const note = (folder: string, name: string | null) => {
    // The system reports a folder that is moved or deleted under the folder's own name.
    const what = name === path.basename(folder) ? null : name;
    changed.set(folder, (changed.get(folder) ?? new Set()).add(what));
  };
  const drop = (folder: string) => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  return {
    keep(folders, suspects = folders) {
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
      let isFull = false;
      for (const folder of folders) {
        const known = watchers.get(folder);
        if (known === undefined ? isFull : !suspects.has(folder)) continue;
        const inode = inodeOf(folder);
        if (known?.inode === inode) continue;
        drop(folder);
        if (inode === null) continue;
        try {
          const watcher = watch(folder, (_, name) => {
            note(folder, name);
            wake?.();
          }).on('error', () => drop(folder));
          watchers.set(folder, { inode, watcher });
          // The folder may have changed before the watch began.
          note(folder, null);
        } catch (error) {
          // The folder may not be read, or this machine has too many watches: the sweep must find its changes.
          const { code } = error as NodeJS.ErrnoException;
          isFull = code === 'ENOSPC' || code === 'EMFILE';
        }
      }
      return watchers.size === folders.size;
    },
    change(atMostMs, stop) {
      return new Promise((resolve) => {
        const timer = setTimeout(end, atMostMs);
        stop.addEventListener('abort', end, { once: true });
        wake = end;
        if (stop.aborted || changed.size > 0) end();
        function end() {
          clearTimeout(timer);
          stop.removeEventListener('abort', end);
          wake = null;
          resolve();
        }
      });
    },
    take() {
      const taken = changed;
      changed = new Map();
      return taken;
    },
    close() {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}

/** The number of folders at rest that may be watched. Each user has a limit, and the user's other programs need watches too. */
export function mostAtRest(): number {
  try {
    return Math.max(FEW, Number(readFileSync(BOUND, 'utf8')) >> 3 || 0);
  } catch {
    return FEW;
  }
}

const BOUND = '/proc/sys/fs/inotify/max_user_watches';
const FEW = 1000;

const inodeOf = (folder: string): number | null =>
  tried(() => statSync(folder, { throwIfNoEntry: false })?.ino ?? null);
