// Identifies the input folders of a task by the names in them, so that temporary editor files do not count as a change.

import { hash } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import type { CallEntry, FolderNames } from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type FileLook, isSettled, lookAt } from './file-look.ts';
import { isLitter } from './judge-files.ts';

/** The stamp of an empty folder. It equals that of a missing one, because the folder above shows whether it exists. */
export const NAMELESS = '-';

/** Like `lookAt`, but the stamp of a folder contains only its identity and the names in it. */
export function lookAtJudged(root: string, file: string): FileLook | null {
  const look = lookAt(file);
  if (look?.kind !== 'folder') return look;
  return { ...look, stamp: namesOf(root, file, look).stamp };
}

/** Visits each file, link and folder of the inputs, and the folder `inputs` itself. Skips prompts, because runs compose them. */
export function walkInputs(root: string, each: (file: string, look: FileLook) => void, filesToo = true): void {
  walk(root + INPUTS);

  function walk(file: string): void {
    const look = lookAt(file);
    if (look?.kind !== 'folder') {
      if (look !== null) each(file, look);
      return;
    }
    const { entries, stamp } = namesOf(root, file, look);
    each(file, { ...look, stamp });
    for (const entry of entries) if (filesToo || entry.isDirectory()) walk(`${file}${path.sep}${entry.name}`);
  }
}

/** Reads the names of each task when a call begins. Omits a task if its folders do not fit into the entry. */
export function namesOfTasks(stateFolder: string, ids: readonly string[]): NonNullable<CallEntry['names']> {
  let room = MAX_CHARACTERS;
  const tasks = path.join(stateFolder, 'task') + path.sep;
  const kept = ids.flatMap((id) => {
    const names = folderNames(tasks + id);
    if (names === null) return [];
    const size = Object.keys(names).reduce((sum, name) => sum + name.length + OVERHEAD, id.length + OVERHEAD);
    if (size > room) return [];
    room -= size;
    return [[id, names] as const];
  });
  return Object.fromEntries(kept);
}

/** An entry of more than 4 MiB is not read, and one character may take six bytes. */
const MAX_CHARACTERS = 512 * 1024;
const OVERHEAD = 32;

/** Returns null if a folder cannot be read, for example because its path is too long. */
function folderNames(root: string): FolderNames | null {
  const found: [string, string][] = [];
  const add = (file: string, { kind, stamp }: FileLook) => {
    if (kind === 'folder' && stamp !== NAMELESS) found.push([file.slice(root.length + 1), stamp]);
  };
  try {
    walkInputs(root, add, false);
    return Object.fromEntries(found);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

interface Names {
  /** The stamp of the folder itself when the names were read. */
  at: string;
  entries: Dirent[];
  stamp: string;
}

/**
 * Cached, because nearly all of a thousand tasks are unchanged since the last call. A folder with the same stamp has the same
 * names.
 */
const remembered = new Map<string, Names>();
const MOST_REMEMBERED = 20_000;

function namesOf(root: string, folder: string, look: FileLook): Names {
  const known = remembered.get(folder);
  if (known?.at === look.stamp) return known;
  const entries = entriesOf(root, folder);
  const names = { at: look.stamp, entries, stamp: stampOf(look, entries) };
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (isSettled(look)) remembered.set(folder, names);
  return names;
}

/** Contains the inode, because another folder with the same names may have other files. */
function stampOf({ stamp }: FileLook, entries: readonly Dirent[]): string {
  if (entries.length === 0) return NAMELESS;
  const names = entries.map(({ name }) => name).sort();
  const inode = stamp.slice(0, stamp.indexOf(' '));
  return hash('sha256', `${inode}/${names.join('/')}`).slice(0, 16);
}

function entriesOf(root: string, folder: string): Dirent[] {
  const below = folder.slice(root.length);
  const isAttached = below === ATTACHMENTS || below.startsWith(ATTACHMENTS + path.sep);
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => {
      // A visible attachment goes into a prompt, whatever its name is.
      if (isLitter(name)) return isAttached && !name.startsWith('.');
      return name !== 'prompt' || below !== INPUTS;
    });
  } catch {
    return [];
  }
}

const INPUTS = `${path.sep}inputs`;
const ATTACHMENTS = path.join(INPUTS, 'attachments');
