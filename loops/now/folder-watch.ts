// Tells in which folders something changed; a slow sweep stands in for what no watch can see, such as a process that dies.

import { type FSWatcher, statSync, watch } from 'node:fs';

interface FolderWatch {
  /** From now on these are watched, and no others; one that is not there, or was made anew, is tried again each time. */
  keep(folders: ReadonlySet<string>): void;
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
    keep(folders) {
      for (const folder of [...watchers.keys()]) if (!folders.has(folder)) drop(folder);
      for (const folder of folders) {
        const inode = inodeOf(folder);
        if (watchers.get(folder)?.inode === inode) continue;
        drop(folder);
        if (inode === null) continue;
        try {
          const watcher = watch(folder, () => tell(folder)).on('error', () => drop(folder));
          watchers.set(folder, { inode, watcher });
          // What happened before the watch began, nobody has told.
          changed.add(folder);
        } catch {
          // Too many of them on this machine, or a folder that may not be read: the sweep must do.
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

function inodeOf(folder: string): number | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino ?? null;
  } catch {
    return null;
  }
}
