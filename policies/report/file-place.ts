// Makes paths in a text relative to the tree: the first `path:line` of an answer, or all paths of an outgoing report.

import { cut } from '../text/cut.ts';
import type { FilePlace } from './problem.ts';

/**
 * Returns null if the text names no place.
 * @param root the root of the tree; an absolute path below it becomes relative.
 */
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

/** Returns null if the path is outside the tree, or is not a file's path. */
export function withinTree(named: string, root: string | null): string | null {
  const below = root !== null && named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named;
  const parts = below.replace(/^(?:\.\/)+/, '').split('/');
  const isFile = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.git');
  return isFile && !/[\p{Cc}\p{Cf}\\]/u.test(below) ? parts.join('/') : null;
}

/**
 * Removes each folder with which a path in the text begins; the folder itself becomes `.`.
 * @param folders absolute paths.
 */
export function withRelativePaths(text: string, folders: readonly string[]): string {
  return folders
    .filter((folder) => folder !== '/')
    .map((folder) => new RegExp(`${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|(?!\\.?[\\w-]))`, 'g'))
    .reduce((shown, place) => shown.replace(place, (found) => (found.endsWith('/') ? '' : '.')), text);
}

const MAX_TEXT = 2000;

/** The format that a review is required to use; the path may contain spaces. */
const QUOTED = /`([^`\n:]{1,400}):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?::\d+)?`/gu;

/** The text before `:12`, `:12-20` or `:12:5`. */
const BARE =
  /(?<![\p{L}\p{N}\p{M}_./@+~:-])([\p{L}\p{N}\p{M}_./@+~-]{0,400}[\p{L}\p{N}]):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?!\d)/gu;

/** A folder, an extension or a capital letter indicates a file; `localhost:8080` and `at 10:30` are not files. */
const isFileName = (named: string): boolean => /\/|\.\p{L}[\p{L}\p{N}]*$|^\p{Lu}/u.test(named);
