// Makes the private folder of one attempt, with all that is needed to classify it, before it is paid.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { lookAtFolder } from './private-folders.ts';
import type { WrapperRequest } from './request.ts';

export interface Attempt {
  folder: string;
  files: { stdin: string; stdout: string; stderr: string; usage: string };
  /** The CLI's own $TMPDIR: gemini stores whole conversations there. The path is short, because sockets in it need that. */
  temporary: string;
}

/**
 * Chooses the paths of an attempt and makes its $TMPDIR, still empty. So the attempt can be registered before it holds a prompt.
 */
export function nameAttempt(request: WrapperRequest, callId: string): Attempt {
  const folder = attemptFolder(request, callId);
  return attemptIn(folder, mkdtempSync(path.join(systemTemporary(), prefixFor(folder))));
}

/**
 * All files are on the disk of `--out` (or in the task), so that a published file can be renamed into place. If this throws,
 * nothing of the folder remains; the $TMPDIR stays.
 */
export function fillAttempt(attempt: Attempt, { charge }: WrapperRequest, prompt: Buffer, save: () => void): void {
  // Other users may write beside --out: an existing folder may be a link that one of them made.
  if (charge === null) mkdirSync(attempt.folder, 0o700);
  else makeFolders(attempt.folder);
  try {
    writeFileSync(attempt.files.stdin, prompt, { mode: 0o600 });
    save();
  } catch (error) {
    removeFolder(attempt.folder, [attempt.files.stdin]);
    throw error;
  }
}

/** The end of the call's id is part of the name, so that no record can claim the folder of another call. */
const prefixFor = (attempt: string): string => `tg-${attempt.slice(-8)}-`;

/** A relative $TMPDIR is relative to our working folder, not to that of the CLI. */
const systemTemporary = (): string => path.resolve(tmpdir());

/** Returns the attempt of a call that another process made. */
export const attemptIn = (folder: string, temporary: string): Attempt => ({
  folder,
  files: filesIn(folder),
  temporary,
});

const filesIn = (folder: string): Attempt['files'] => ({
  stdin: path.join(folder, 'prompt'),
  stdout: path.join(folder, 'stdout'),
  stderr: path.join(folder, 'stderr'),
  usage: path.join(folder, 'usage.json'),
});

function attemptFolder({ charge, files }: WrapperRequest, callId: string): string {
  if (charge !== null) return path.join(charge.task.attempts, callId);
  return path.join(path.dirname(path.resolve(files.out)), `.tollgate-${callId}`);
}

/** Nothing was started, so nothing of the attempt is kept. */
export function discardAttempt(attempt: Attempt, overlay: Overlay): void {
  removeFolder(attempt.folder, [attempt.files.stdin]);
  removeTemporaries(attempt, overlay);
}

/** For a call with no result to classify; its attempt stays. */
export const discardTemporaries = (
  attempt: Pick<Attempt, 'folder' | 'temporary'>,
  overlayFolders: readonly string[],
): void => removeTemporaries(attempt, { folders: [...overlayFolders] });

/**
 * The names may come from a file that an agent could have written. Only folders that we made in the system's $TMPDIR are removed.
 */
export function removeTemporaries(
  attempt: Pick<Attempt, 'folder' | 'temporary'>,
  overlay: Pick<Overlay, 'folders'>,
): void {
  if (hasOwnTemporary(attempt)) removeFolder(attempt.temporary, 'whatever');
  for (const folder of overlay.folders)
    if (lookAtFolder('overlay', folder) === 'ours') removeFolder(folder, 'whatever');
}

/** Whether we made its `$TMPDIR`, so that it may be removed. */
export const hasOwnTemporary = ({ folder, temporary }: Pick<Attempt, 'folder' | 'temporary'>): boolean =>
  path.dirname(temporary) === systemTemporary() &&
  path.basename(temporary).startsWith(prefixFor(folder)) &&
  lookAtFolder('temporary', temporary) === 'ours';

/**
 * Most folders hold at most a few files. Removing them one by one is five times as fast as a recursive removal.
 * @param files the files that may be there
 */
export function removeFolder(folder: string, files: readonly string[] | 'whatever'): void {
  try {
    if (files === 'whatever') for (const name of readdirSync(folder)) unlinkSync(path.join(folder, name));
    else for (const file of files) if (existsSync(file)) unlinkSync(file);
    rmdirSync(folder);
  } catch {
    removeTree(folder);
  }
}

/** Files that a tool made read-only (as a module cache does) may remain; the result is not affected. */
function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The folder is in the system's temporary folder, which the system cleans.
  }
}
