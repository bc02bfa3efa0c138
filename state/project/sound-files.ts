// Which files the schema has passed before, by a hash of their bytes, in the user's state: nothing of what they say is kept.

import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../disk/folder.ts';
import { openRegular, readWhole, UnfitFileError } from '../disk/regular-file.ts';
import { replaceText } from '../disk/replace-file.ts';
import { isSystemError } from '../system-error.ts';
import { userState } from '../user-state.ts';

/** A hash of all that decides whether a file is sound; build.mjs fills it in, and without it nothing is believed. */
declare const __soundBy: string | undefined;

export interface SoundFiles {
  has(bytes: Buffer): boolean;
  add(bytes: Buffer): void;
}

/**
 * @param purpose who only looks notes nothing.
 * @returns null where the user has no state: then every file is looked at anew.
 */
export function soundFiles(environment: NodeJS.ProcessEnv, purpose: 'run' | 'look'): SoundFiles | null {
  const state = userState(environment);
  const by = typeof __soundBy === 'string' ? __soundBy : null;
  if (state === null || by === null) return null;
  const file = path.join(state, 'sound-manifests');
  const keyOf = (bytes: Buffer) => hash('sha256', Buffer.concat([Buffer.from(by), bytes]));
  return {
    has: (bytes) => readOwn(file).includes(`${keyOf(bytes)}\n`),
    add(bytes) {
      if (purpose === 'look') return;
      try {
        makeFolder(state);
        append(file, `${keyOf(bytes)}\n`);
      } catch (error) {
        // It is looked at again the next time.
        if (!(error instanceof UnfitFileError) && !isSystemError(error)) throw error;
      }
    },
  };
}

/** Some 3,500 files. */
const MAX_BYTES = 256 * 1024;

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;

/** What somebody else has written, or could have, says nothing. */
function readOwn(file: string): string {
  try {
    const fd = openRegular(file, O_RDONLY);
    try {
      return isOwn(fd) ? readWhole(fd, file, 2 * MAX_BYTES).toString('latin1') : '';
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!(error instanceof UnfitFileError) && !isSystemError(error)) throw error;
    return '';
  }
}

function isOwn(fd: number): boolean {
  const { uid, mode } = fstatSync(fd);
  return uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
}

function append(file: string, line: string): void {
  const fd = openRegular(file, O_WRONLY | O_APPEND | O_CREAT, 0o600);
  let isFull: boolean;
  try {
    isFull = !isOwn(fd) || fstatSync(fd).size > MAX_BYTES;
    if (!isFull) writeSync(fd, line);
  } finally {
    closeSync(fd);
  }
  // The younger half stays; a stranger's is not gone on with.
  if (isFull)
    replaceText(
      file,
      `${readOwn(file)
        .slice(-MAX_BYTES / 2)
        .replace(/^.*\n/, '')}${line}`,
    );
}
