// Tells when a file comes or changes, also one whose folders do not exist yet: the nearest folder that does is watched.

import { type FSWatcher, statSync, watch } from 'node:fs';
import path from 'node:path';

export interface PathWatch {
  /** `wake` is called after every change; it may be called for nothing. */
  add(file: string, wake: () => void): Watched;
  /** Finds again what was moved away under a watch, and what no event told. */
  refresh(): void;
  /** Files in folders that the system would not watch. */
  blind(): number;
  close(): void;
}

export interface Watched {
  remove(): void;
}

interface Entry {
  file: string;
  wake: () => void;
  /** Where it hangs now: in this folder, under this name. */
  folder: Folder | null;
  name: string;
}

interface Folder {
  at: string;
  inode: number;
  watcher: FSWatcher | null;
  entries: Map<string, Set<Entry>>;
}

export function createPathWatch(): PathWatch {
  /** By inode and path: a folder that was deleted and made anew is another one. */
  const folders = new Map<string, Folder>();

  /** Hangs an entry into the nearest existing folder. What came before the watch began moves it on: it is asked again. */
  function arm(entry: Entry): void {
    for (;;) {
      const point = nearestFolder(entry.file);
      if (entry.folder?.at === point.at && entry.folder.inode === point.inode && entry.name === point.name) return;
      disarm(entry);
      const folder = open(point);
      entry.folder = folder;
      entry.name = point.name;
      const named = folder.entries.get(point.name) ?? new Set();
      folder.entries.set(point.name, named.add(entry));
    }
  }

  function disarm(entry: Entry): void {
    const { folder, name } = entry;
    entry.folder = null;
    if (folder === null) return;
    const named = folder.entries.get(name);
    named?.delete(entry);
    if (named?.size === 0) folder.entries.delete(name);
    if (folder.entries.size > 0) return;
    folder.watcher?.close();
    folders.delete(`${folder.inode} ${folder.at}`);
  }

  function open({ at, inode }: { at: string; inode: number }): Folder {
    const known = folders.get(`${inode} ${at}`);
    if (known !== undefined) return known;
    const folder: Folder = { at, inode, watcher: null, entries: new Map() };
    folders.set(`${inode} ${at}`, folder);
    try {
      folder.watcher = watch(at, (_, name) => tell(folder, name)).on('error', () => lose(folder));
    } catch {
      // Too many watches on this machine, or a folder that may not be read: the clock must do.
    }
    return folder;
  }

  function tell(folder: Folder, name: string | null): void {
    const named = name === null ? null : folder.entries.get(name);
    if (named) wakeAll(named);
    // A folder that is moved or deleted tells it under its own name.
    if (name === null || name === path.basename(folder.at)) wakeAll(entriesOf(folder));
  }

  function wakeAll(entries: Iterable<Entry>): void {
    for (const entry of [...entries]) {
      if (entry.folder === null) continue;
      arm(entry);
      entry.wake();
    }
  }

  function lose(folder: Folder): void {
    folder.watcher?.close();
    folder.watcher = null;
  }

  return {
    add(file, wake) {
      const entry: Entry = { file: path.resolve(file), wake, folder: null, name: '' };
      arm(entry);
      return { remove: () => disarm(entry) };
    },
    refresh() {
      for (const folder of [...folders.values()]) for (const entry of entriesOf(folder)) arm(entry);
    },
    blind: () => [...folders.values()].filter((folder) => folder.watcher === null).length,
    close() {
      for (const folder of folders.values()) folder.watcher?.close();
      folders.clear();
    },
  };
}

const entriesOf = (folder: Folder): Entry[] => [...folder.entries.values()].flatMap((named) => [...named]);

/** The nearest existing folder above a file, and the name to look out for in it. */
function nearestFolder(file: string): { at: string; inode: number; name: string } {
  for (let at = path.dirname(file), name = path.basename(file); ; name = path.basename(at), at = path.dirname(at)) {
    const found = statOf(at);
    if (found?.isDirectory()) return { at, inode: found.ino, name };
    if (at === path.dirname(at)) return { at, inode: 0, name };
  }
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
