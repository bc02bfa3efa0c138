// What recovery leaves alone as a person's work: how it was before the call stays readable beside the attempt, and the user is told.

import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { setAside } from '../../state/disk/set-aside.ts';
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
  /** The folder beside the attempt where they are to be. */
  place: string;
  clock: () => Date;
}

export interface KeptLeft {
  /** By file, where it is to be read as it was; null where no copy is whole. Those that were told before are not in it. */
  told: [file: string, place: string | null][];
  /** Why the register must keep its copies; null where nothing is lost with them. */
  why: string | null;
}

/** Each is written out once, under a name of its own, for as long as that holds what was kept. */
export function keepLeft(left: readonly LeftFile[], { place, clock }: KeepingLeft): KeptLeft {
  const kept: KeptLeft = { told: [], why: null };
  const taken = new Set<string>();
  for (const { file, before } of left) {
    try {
      if (!isWhole(before)) {
        kept.told.push([file, null]);
        continue;
      }
      makeReal(place, clock);
      const copy = nameFor(path.join(place, path.basename(file)), before, taken);
      taken.add(copy);
      if (lookAt(copy) !== null) continue;
      restore(copy, before, () => {});
      kept.told.push([file, copy]);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      kept.why = error.message;
    }
  }
  return kept;
}

/** The first that is free, or that holds the same already. */
function nameFor(wanted: string, before: KeptFile, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? wanted : `${wanted}.${n}`;
    const now = lookAt(name);
    if (!taken.has(name) && (now === null || isSame(name, before, now))) return name;
  }
}

/** Copies whose index cannot be read: the whole entry. @returns where it is now. */
export function keepEntry({ entry, place, clock }: KeepingLeft): string {
  try {
    makeReal(path.dirname(place), clock);
    if (lookAt(place) !== null) setAside(place, clock);
    renameSync(entry, place);
    return place;
  } catch (error) {
    // Another disk, or a full one.
    if (!isSystemError(error)) throw error;
    return entry;
  }
}

/** No link is followed. */
function makeReal(folder: string, clock: () => Date): void {
  const now = lookAt(folder);
  if (now !== null && now.kind !== 'folder') setAside(folder, clock);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}
