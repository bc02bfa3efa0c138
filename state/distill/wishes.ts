// Stores requests of other terminals to a running distillation: a file each, which its driver watches, executes and removes.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, namesIn } from '../disk/folder.ts';
import { readJsonIfFit } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import type { DistillFolder } from './run-folder.ts';

/** `run`: the run that it is for; a request to a run that has ended does not apply to the next. */
type LeftWish = { wish: 'pause' | 'stop'; run: string } | { wish: 'delete'; section: number; again: boolean };

/** @returns its file, which exists until the request was executed. */
export function leaveWish({ wishes }: DistillFolder, wish: LeftWish, at: Date): string {
  const name = `${at.toISOString().replace(/[^0-9]/g, '')}-${randomUUID().slice(0, 8)}.json`;
  publishText(path.join(wishes, name), `${JSON.stringify(wish)}\n`);
  publishText(bellOf({ wishes }), name);
  return path.join(wishes, name);
}

/** The file changes with each request: only a file with a known name can be watched. */
export const bellOf = ({ wishes }: { wishes: string }): string => path.join(wishes, 'bell');

/** In the order in which they were made; other files are not touched. */
export function wishesLeft({ wishes }: DistillFolder): { file: string; wish: LeftWish }[] {
  return namesIn(wishes)
    .filter((name) => /^\d{17}-[0-9a-f]{8}\.json$/.test(name))
    .sort()
    .flatMap((name) => {
      const file = path.join(wishes, name);
      const wish = readJsonIfFit<LeftWish>(file, MAX_BYTES);
      return wish !== null && isWish(wish) ? [{ file, wish }] : [];
    });
}

const MAX_BYTES = 4096;

const isWish = (wish: LeftWish): boolean =>
  wish.wish === 'delete' ? Number.isSafeInteger(wish.section) : typeof wish.run === 'string' && WISHES.has(wish.wish);

const WISHES: ReadonlySet<string> = new Set(['pause', 'stop']);

export const removeWish = (file: string): void => rmSync(file, { force: true });

/** Makes the folder, so that it can be watched. */
export const openWishes = ({ wishes }: DistillFolder): void => makeFolder(wishes);
