// Lists the content of a CLI's store, and reads the beginning of a session. A link may lead out of a store and is not followed.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { entriesIfAny } from '../../state/disk/folder.ts';
import { readHeadIfFit } from '../../state/disk/regular-file.ts';
import { type Fields, fieldsOf, readRecord } from './record.ts';

/** Names of the folders in it, the last of the alphabet first; none where it cannot be read. */
export const foldersIn = (folder: string): string[] =>
  entriesIfAny(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .reverse();

export const filesIn = (folder: string): string[] =>
  entriesIfAny(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

export const isFolder = (folder: string): boolean => lookAt(folder)?.isDirectory() ?? false;

/** null for what is no regular file. */
export function measure(file: string): { bytes: number; changedAtMs: number } | null {
  const stat = lookAt(file);
  return stat?.isFile() ? { bytes: stat.size, changedAtMs: stat.mtimeMs } : null;
}

/** The whole lines among its first bytes, one by one; none where it cannot be read. */
export function* firstRecords(file: string, maxBytes: number): Generator<Fields> {
  const lines = (readHeadIfFit(file, maxBytes) ?? '').split('\n');
  for (const line of lines.slice(0, -1)) yield fieldsOf(readRecord(line));
}

/** Links in it, down to so many levels, at most 5: what they lead to is not looked into. */
export function linksBelow(folder: string, levels: number): string[] {
  const links: string[] = [];
  for (const entry of entriesIfAny(folder)) {
    if (links.length >= MOST_LINKS) break;
    const place = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) links.push(place);
    else if (entry.isDirectory() && levels > 1) links.push(...linksBelow(place, levels - 1));
  }
  return links.slice(0, MOST_LINKS);
}

const MOST_LINKS = 5;

const lookAt = (file: string) => tried(() => lstatSync(file));

/** What `read` finds in the first record that has it. The second look is for the longest prompt that anybody sends. */
export function firstOf<T>(file: string, read: (record: Fields) => T | null): T | null {
  for (const bytes of [256 * 1024, 8 * 1024 * 1024])
    for (const record of firstRecords(file, bytes)) {
      const found = read(record);
      if (found !== null) return found;
    }
  return null;
}
