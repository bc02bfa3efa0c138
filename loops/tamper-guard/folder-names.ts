// Which folders of its inputs a task is judged by, told by the names in them: litter that comes and goes changes none.

import { hash } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import type { CallEntry, FolderNames } from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type FileLook, isSettled, lookAt } from './file-look.ts';
import { isLitter } from './judge-files.ts';

/** Of a folder with nothing in it: the same as if it were not there, which the folder above tells. */
export const NAMELESS = '-';

/** As `lookAt`, but of a folder the stamp says only which one it is, and the names in it. */
export function lookAtJudged(root: string, file: string): FileLook | null {
  const look = lookAt(file);
  if (look?.kind !== 'folder') return look;
  return { ...look, stamp: namesOf(root, file, look).stamp };
}

/** Each file, link and folder of the inputs, with the folder `inputs` itself. Prompts are composed by runs. */
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

/** Of each task, as a call begins; a task whose folders find no room in the entry goes without. */
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

/** An entry of more than 4 MiB is not read, and six bytes may stand for a character. */
const MAX_CHARACTERS = 512 * 1024;
const OVERHEAD = 32;

/** null where a folder cannot be looked at, say because its path is too long. */
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
  /** Of the folder itself, when they were read. */
  at: string;
  entries: Dirent[];
  stamp: string;
}

/** Of a thousand tasks nearly all are as they were before the last call: a folder with the same stamp has the same names. */
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

/** With its inode: another folder of the same names may hold other files. */
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
      // What is not hidden goes into a prompt, whatever it is called.
      if (isLitter(name)) return isAttached && !name.startsWith('.');
      return name !== 'prompt' || below !== INPUTS;
    });
  } catch {
    return [];
  }
}

const INPUTS = `${path.sep}inputs`;
const ATTACHMENTS = path.join(INPUTS, 'attachments');
