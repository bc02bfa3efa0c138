// Lists the content of a CLI's store, and reads the beginning of a session. A link may lead out of a store and is not followed.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { entriesIfAny } from '../../state/disk/folder.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import type { SessionFile } from './store.ts';

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

/** The whole lines among its first bytes. Throws what the operating system throws. */
export const firstLines = (file: string, maxBytes: number): string[] =>
  readHead(file, maxBytes).text.split('\n').slice(0, -1);

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

/** The second is for the longest prompt that anybody sends. */
const PROMPT_BYTES = [256 * 1024, 8 * 1024 * 1024];

/** The first prompt of a session; null where there is none, or none that can be read. */
export function readFirstPrompt({ file }: SessionFile, promptOf: (line: string) => string | null): string | null {
  try {
    for (const bytes of PROMPT_BYTES)
      for (const line of firstLines(file, bytes)) {
        const prompt = promptOf(line);
        if (prompt !== null) return prompt;
      }
  } catch {}
  return null;
}
