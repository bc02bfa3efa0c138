// Tells in which folders something changed; a slow sweep stands in for what no watch can see, such as a process that dies.

import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';

interface FolderWatch {
  /**
   * From now on these are watched, and no others; one that is not watched is tried again each time.
   * @param suspects those of them that may have been made anew; of all unless told.
   */
  keep(folders: ReadonlySet<string>, suspects?: ReadonlySet<string>): void;
  /** Resolves at the next change, after `atMostMs`, or when `stop` aborts. */
  change(atMostMs: number, stop: AbortSignal): Promise<void>;
  /** Those in which something changed since this was asked last. */
  take(): Set<string>;
  close(): void;
}

export function createFolderWatch(): FolderWatch {
  const watchers = new Map<string, { inode: number; watcher: FSWatcher }>();
  let changed = new Set<string>();
  let wake: (() => void) | null = null;
  const tell = (folder: string) => {
    changed.add(folder);
    wake?.();
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
          const watcher = watch(folder, () => tell(folder)).on('error', () => drop(folder));
          watchers.set(folder, { inode, watcher });
          // What happened before the watch began, nobody has told.
          changed.add(folder);
        } catch (error) {
          // A folder that may not be read, or too many on this machine: the sweep must do.
          const { code } = error as NodeJS.ErrnoException;
          isFull = code === 'ENOSPC' || code === 'EMFILE';
        }
      }
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
      changed = new Set();
      return taken;
    },
    close() {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}

/** So many folders at rest may be watched: each user has a bound, and others of the user's programs watch too. */
export function mostAtRest(): number {
  try {
    return Math.max(FEW, Number(readFileSync(BOUND, 'utf8')) >> 3 || 0);
  } catch {
    return FEW;
  }
}

const BOUND = '/proc/sys/fs/inotify/max_user_watches';
const FEW = 1000;

function inodeOf(folder: string): number | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino ?? null;
  } catch {
    return null;
  }
}
