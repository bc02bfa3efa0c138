// Paths in a text, told relative to the tree: the first `path:line` that an agent wrote, and all paths of a report that leaves the machine.

import { cut } from '../text/cut.ts';
import type { FilePlace } from './problem.ts';

/** null where none is named. @param root of the tree; an absolute path below it is told relative to it. */
export function placeIn(text: string, root: string | null): FilePlace | null {
  const said = cut(text, MAX_TEXT);
  for (const [, named, first, last] of [...said.matchAll(QUOTED), ...said.matchAll(BARE)]) {
    const path = isFileName(named!) ? withinTree(named!, root) : null;
    if (path === null) continue;
    const [line, end] = [Number(first), last === undefined ? null : Number(last)];
    return { path, line, endLine: end !== null && end > line ? end : null };
  }
  return null;
}

/** null for what lies elsewhere, or is no path of a file. */
export function withinTree(named: string, root: string | null): string | null {
  const below = root !== null && named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named;
  const parts = below.replace(/^(?:\.\/)+/, '').split('/');
  const isFile = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.git');
  return isFile && !/[\p{Cc}\p{Cf}\\]/u.test(below) ? parts.join('/') : null;
}

/** Leaves out each folder where a path of the text begins with it; the folder itself becomes `.`. @param folders absolute */
export function withRelativePaths(text: string, folders: readonly string[]): string {
  return folders
    .filter((folder) => folder !== '/')
    .map((folder) => new RegExp(`${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|(?!\\.?[\\w-]))`, 'g'))
    .reduce((shown, place) => shown.replace(place, (found) => (found.endsWith('/') ? '' : '.')), text);
}

const MAX_TEXT = 2000;

/** As a review is asked to write it; it may hold spaces. */
const QUOTED = /`([^`\n:]{1,400}):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?::\d+)?`/gu;

/** What stands before `:12`, `:12-20` or `:12:5`. */
const BARE =
  /(?<![\p{L}\p{N}\p{M}_./@+~:-])([\p{L}\p{N}\p{M}_./@+~-]{0,400}[\p{L}\p{N}]):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?!\d)/gu;

/** A folder, an ending or a capital speaks for a file; `localhost:8080` and `at 10:30` are none. */
const isFileName = (named: string): boolean => /\/|\.\p{L}[\p{L}\p{N}]*$|^\p{Lu}/u.test(named);
