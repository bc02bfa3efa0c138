// Resolves and compares folders by their paths without links, and restores folders that another program replaced since.

import { lstatSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import path from 'node:path';
import { kindOf } from './regular-file.ts';
import { setAside } from './replace-file.ts';

/** The folder without symlinks, even if a part of it does not exist yet. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realFolder(above), path.basename(folder));
  }
}

/** A folder without links in its path, and its identity; null if there was none. */
export interface KeptFolder {
  place: string;
  id: string | null;
}

/** @param places as `realFolder` returned them. */
export const keepFolders = (places: readonly string[]): KeptFolder[] =>
  [...new Set(places)].map((place) => ({ place, id: idOf(place) }));

/** @returns the first step on the path to one of them that is no longer a folder; a missing step does not count. */
export function strangeStep(folders: readonly KeptFolder[]): string | null {
  const sound = new Set<string>();
  for (const { place } of folders)
    for (const step of stepsTo(place)) {
      if (sound.has(step)) continue;
      const found = lstatSync(step, { throwIfNoEntry: false });
      if (found === undefined) break;
      if (!found.isDirectory()) return step;
      sound.add(step);
    }
  return null;
}

/**
 * Moves aside what is in the place of a folder, and restores the folder. If a link shows where the folder went, it is moved
 * back; otherwise a new one is made, with mode 0700. So later writes do not go elsewhere, and do not fail.
 * @returns a sentence for each. Throws what the system throws.
 */
export function mendFolders(folders: readonly KeptFolder[], clock: () => Date): string[] {
  const moves: string[] = [];
  for (let step = strangeStep(folders); step !== null; step = strangeStep(folders)) {
    const place = step;
    const was = folders.find((folder) => folder.place === place)?.id ?? null;
    const went = was === null ? null : movedTo(step, was);
    const aside = `${step} had become ${kindOf(step)}, which was set aside as ${path.basename(setAside(step, clock))}`;
    if (went === null) mkdirSync(step, { mode: 0o700 });
    else renameSync(went, step);
    moves.push(`${aside}; the folder was ${went === null ? 'created again' : `moved back from ${went}`}`);
  }
  const isMissing = ({ place, id }: KeptFolder) =>
    id !== null && lstatSync(place, { throwIfNoEntry: false }) === undefined;
  const removed = folders.filter(isMissing).map(({ place }) => place);
  for (const place of removed) {
    mkdirSync(place, { mode: 0o700, recursive: true });
    if (!removed.some((other) => other !== place && isWithin(other, place)))
      moves.push(`${place} was removed during the call; it was created again`);
  }
  return moves;
}

/** Where the original folder is now, if the link in its place leads there. */
function movedTo(link: string, id: string): string | null {
  try {
    const target = realpathSync.native(link);
    return idOf(target) === id ? target : null;
  } catch {
    return null;
  }
}

function idOf(folder: string): string | null {
  try {
    const { dev, ino } = lstatSync(folder, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}

/** From the top; the root itself is a folder. */
function stepsTo(folder: string): string[] {
  const names = folder.split('/').slice(1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
}

/** A missing folder is compared by its name. */
export function realOr(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

export const isSameFolder = (one: string, other: string): boolean => one === other || realOr(one) === realOr(other);

/** Compares names only, without following links; a folder is within itself. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
