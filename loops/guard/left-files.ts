// Saves the earlier version of files that recovery leaves alone as the user's work, beside the attempt, and reports them.

import { renameSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { lookAt } from './file-look.ts';
import type { KeptFile } from './kept-files.ts';
import { isSame, isWhole } from './put-back.ts';
import { restore } from './restored-file.ts';

export interface LeftFile {
  file: string;
  before: KeptFile;
}

interface KeepingLeft {
  /** The call's entry in the register, where the copies are now. */
  entry: string;
  /** The folder beside the attempt to which the copies go. */
  place: string;
  clock: () => Date;
}

export interface KeptLeft {
  /**
   * Each file with the place of its earlier version; null if no complete copy exists. Files that were reported before are
   * omitted.
   */
  copies: [file: string, place: string | null][];
  /** Why the register must keep its copies; null if nothing is lost without them. */
  why: string | null;
}

/** Writes each file once, under its own name. Writes it again only if that file no longer has the kept content. */
export function keepLeft(leftovers: readonly LeftFile[], { place, clock }: KeepingLeft): KeptLeft {
  const kept: KeptLeft = { copies: [], why: null };
  const taken = new Set<string>();
  for (const { file, before } of leftovers) {
    try {
      if (!isWhole(before)) {
        kept.copies.push([file, null]);
        continue;
      }
      makeReal(place, clock);
      const copy = nameFor(path.join(place, path.basename(file)), before, taken);
      taken.add(copy);
      if (lookAt(copy) !== null) continue;
      restore(copy, before, () => {});
      kept.copies.push([file, copy]);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      kept.why = error.message;
    }
  }
  return kept;
}

/** Returns the first name that is free or that already has the same content. */
function nameFor(wanted: string, before: KeptFile, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? wanted : `${wanted}.${n}`;
    const now = lookAt(name);
    if (!taken.has(name) && (now === null || isSame(name, before, now))) return name;
  }
}

/**
 * Saves the whole entry, if the index of its copies cannot be read.
 * @returns where it is now.
 */
export function keepEntry({ entry, place, clock }: KeepingLeft): string {
  try {
    makeReal(path.dirname(place), clock);
    if (lookAt(place) !== null) setAside(place, clock);
    renameSync(entry, place);
    return place;
  } catch (error) {
    // The place is on another disk, or the disk is full.
    if (!isSystemError(error)) throw error;
    return entry;
  }
}

/** Makes a real folder, and follows no link. */
function makeReal(folder: string, clock: () => Date): void {
  const now = lookAt(folder);
  if (now !== null && now.kind !== 'folder') setAside(folder, clock);
  makeFolders(folder);
}
