// Reports that a file appears or changes. A file whose folder does not exist yet is watched in its nearest existing folder.

import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { lookAt } from '../../state/disk/regular-file.ts';

export interface PathWatch {
  /** @param wake called after every change; it may be called without one. */
  add(file: string, wake: () => void): Watched;
  /** Finds folders that were moved or replaced without an event. */
  refresh(): void;
  /** The number of folders that the system did not let us watch. */
  blind(): number;
  close(): void;
}

export interface Watched {
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
