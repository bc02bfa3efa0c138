// Which files are surely not there: told by one list of their folder, where one look after another asks for many of them.

import path from 'node:path';
import { namesIn } from '../../state/disk/folder.ts';
import { isFolder } from '../../state/disk/regular-file.ts';

/** A file that is asked for again and again, its path taken apart once. */
export interface Place {
  file: string;
  folder: string;
  /** null for a name that on some disk another spelling may lead to: it is looked at. */
  plain: string | null;
}

const PLAIN = /^[\w-]+(?:\.[\w-]+)*$/;

export function placeOf(file: string): Place {
  const name = path.basename(file);
  return { file, folder: path.dirname(file), plain: PLAIN.test(name) ? name.toLowerCase() : null };
}

/** Good for one round of looks. `false`: it may be there. */
export type IsAbsent = (place: Place) => boolean;

/** Nothing is known of any. */
export const NONE_LISTED: IsAbsent = () => false;

/** So many of one folder are looked at singly. */
const SINGLY = 64;
/** So many names of a list cost as much as one look. */
const NAMES_A_LOOK = 5;

interface Folder {
  asked: number;
  names: ReadonlySet<string> | null | 'unlisted';
  /** Its list cost more than the looks that it saved. */
  isLarge: boolean;
}

/** Knows from one round to the next which folders are worth a list. */
export function createAbsence(): { round(): IsAbsent } {
  const folders = new Map<string, Folder>();
  function isAbsent({ folder: at, plain }: Place): boolean {
    const folder: Folder = folders.get(at) ?? { asked: 0, names: 'unlisted', isLarge: false };
    if (folder.asked === 0) folders.set(at, folder);
    folder.asked += 1;
    if (folder.asked <= SINGLY || folder.isLarge || plain === null) return false;
    if (folder.names === 'unlisted') folder.names = listed(at);
    return folder.names !== null && !folder.names.has(plain);
  }
  return {
    round() {
      for (const folder of folders.values()) {
        const { names, asked } = folder;
        if (names instanceof Set) folder.isLarge = names.size > asked * NAMES_A_LOOK;
        folder.asked = 0;
        folder.names = 'unlisted';
      }
      return isAbsent;
    },
  };
}

/** null for one that is not there, or cannot be listed: nothing is known of what it holds. */
function listed(folder: string): ReadonlySet<string> | null {
  if (!isFolder(folder)) return null;
  try {
    return new Set(namesIn(folder).map((name) => name.toLowerCase()));
  } catch {
    return null;
  }
}
