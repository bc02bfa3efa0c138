// Tells when a file comes or changes, also one whose folders do not exist yet: the nearest folder that does is watched.

import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { lookAt } from '../../state/disk/regular-file.ts';

export interface PathWatch {
  /** `wake` is called after every change; it may be called for nothing. */
  add(file: string, wake: () => void): Watched;
  /** Finds again what was moved away under a watch, and what no event told. */
  refresh(): void;
  /** What `step` adds lies in few folders: each is looked at once. */
  together(step: () => void): void;
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

/** And not in one below it that is still to come. */
const isIn = ({ file, name }: Entry, { at }: Folder): boolean => file.length === at.length + 1 + name.length;

interface Folder {
  at: string;
  inode: number;
  watcher: FSWatcher | null;
  /** By the name to look out for; a set only where there are more of one: it takes as much room as all else of an entry. */
  entries: Map<string, Entry | Set<Entry>>;
}

export function createPathWatch(): PathWatch {
  /** By inode and path: a folder that was deleted and made anew is another one. */
  const folders = new Map<string, Folder>();
  /** Where the last entry was hung: most of thousands lie in one. */
  let last: Folder | null = null;
  /** What was looked at within one step, since the last watch began. */
  let looked: Map<string, Look> | null = null;

  /** Hangs an entry into the nearest existing folder. What came before the watch began moves it on: it is asked again. */
  function arm(entry: Entry): void {
    for (;;) {
      const point = nearestFolder(entry.file, look);
      if (entry.folder?.at === point.at && entry.folder.inode === point.inode && entry.name === point.name) return;
      disarm(entry);
      const isLast = last !== null && last.inode === point.inode && last.at === point.at;
      const known = isLast ? last! : folders.get(keyOf(point));
      const folder = known ?? open(point);
      last = folder;
      entry.folder = folder;
      entry.name = point.name;
      const named = folder.entries.get(point.name);
      if (named instanceof Set) named.add(entry);
      else folder.entries.set(point.name, named === undefined ? entry : new Set([named, entry]));
      // One that was watched before it was looked at tells of what comes.
      if (known !== undefined) return;
      looked?.clear();
    }
  }

  function look(at: string): Look {
    const known = looked?.get(at);
    if (known !== undefined) return known;
    const found = { inode: inodeOf(at) };
    looked?.set(at, found);
    return found;
  }

  function together(step: () => void): void {
    looked = new Map();
    try {
      step();
    } finally {
      looked = null;
    }
  }

  function disarm(entry: Entry): void {
    const { folder, name } = entry;
    entry.folder = null;
    if (folder === null) return;
    const named = folder.entries.get(name);
    if (named instanceof Set) named.delete(entry);
    if (named === entry || (named instanceof Set && named.size === 0)) folder.entries.delete(name);
    if (folder.entries.size > 0) return;
    folder.watcher?.close();
    folders.delete(keyOf(folder));
    if (last === folder) last = null;
  }

  function open({ at, inode }: Point): Folder {
    const folder: Folder = { at, inode, watcher: null, entries: new Map() };
    folders.set(keyOf(folder), folder);
    try {
      folder.watcher = watch(at, (_, name) => tell(folder, name)).on('error', () => lose(folder));
    } catch {
      // Too many watches on this machine, or a folder that may not be read: the clock must do.
    }
    return folder;
  }

  function tell(folder: Folder, name: string | null): void {
    const named = name === null ? null : folder.entries.get(name);
    // What it is told of in its own folder needs no nearer one.
    if (named) wakeAll(entriesUnder(named), (entry) => !isIn(entry, folder));
    // A folder that is moved or deleted tells it under its own name.
    if (name === null || name === path.basename(folder.at)) wakeAll(entriesOf(folder), () => true);
  }

  function wakeAll(entries: readonly Entry[], mayMove: (entry: Entry) => boolean): void {
    for (const entry of entries) {
      if (entry.folder === null) continue;
      if (mayMove(entry)) arm(entry);
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
      together(() => {
        for (const folder of [...folders.values()]) {
          const isSame = look(folder.at).inode === folder.inode;
          // Of a folder that is still there none that lies in it has a nearer one.
          for (const entry of entriesOf(folder)) if (!isSame || !isIn(entry, folder)) arm(entry);
        }
      });
    },
    together,
    blind: () => [...folders.values()].filter((folder) => folder.watcher === null).length,
    close() {
      for (const folder of folders.values()) folder.watcher?.close();
      folders.clear();
      last = null;
    },
  };
}

const entriesOf = (folder: Folder): Entry[] => [...folder.entries.values()].flatMap(entriesUnder);

const entriesUnder = (named: Entry | Set<Entry>): Entry[] => (named instanceof Set ? [...named] : [named]);

const keyOf = ({ at, inode }: Omit<Point, 'name'>): string => `${inode} ${at}`;

/** A folder, by its inode, and the name to look out for in it. */
interface Point {
  at: string;
  inode: number;
  name: string;
}

interface Look {
  /** null for what is no folder, or not there. */
  inode: number | null;
}

/** The nearest existing folder above a file. */
function nearestFolder(file: string, look: (at: string) => Look): Point {
  for (let at = path.dirname(file), name = path.basename(file); ; name = path.basename(at), at = path.dirname(at)) {
    const { inode } = look(at);
    if (inode !== null) return { at, inode, name };
    if (at === path.dirname(at)) return { at, inode: 0, name };
  }
}

function inodeOf(at: string): number | null {
  const found = lookAt(at);
  return found?.isDirectory() ? found.ino : null;
}
