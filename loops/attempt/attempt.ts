// The private folder of one attempt: what is needed to judge it stands there before it is paid.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Overlay } from '../../wrappers/adapter.ts';
import type { Draft } from './draft.ts';
import { lookAtFolder } from './private-folders.ts';
import type { WrapperRequest } from './request.ts';

export interface Attempt {
  folder: string;
  files: { stdin: string; stdout: string; stderr: string; usage: string };
  /** The CLI's own $TMPDIR: gemini drops whole conversations there. A short path, for sockets in it. */
  temporary: string;
}

/** Only its names, and its $TMPDIR, in which nothing lies yet: what is known of it can be told before it holds a prompt. */
export function nameAttempt(request: WrapperRequest, callId: string): Attempt {
  const folder = attemptFolder(request, callId);
  return attemptIn(folder, mkdtempSync(path.join(systemTemporary(), prefixFor(folder))));
}

/**
 * Everything lies on the disk of `--out` (or in the task), so that what is published can be renamed into place.
 * When it throws, nothing of the folder is left; the $TMPDIR stays.
 */
export function fillAttempt(attempt: Attempt, { request, prompt }: Draft, save: () => void): void {
  // Beside --out others may write: one that is there already may be somebody's link.
  mkdirSync(attempt.folder, { recursive: request.charge !== null, mode: 0o700 });
  try {
    writeFileSync(attempt.files.stdin, prompt ?? '', { mode: 0o600 });
    save();
  } catch (error) {
    removeFolder(attempt.folder, [attempt.files.stdin]);
    throw error;
  }
}

/** With the end of the call's id, so that no record can pass another call's for its own. */
const prefixFor = (attempt: string): string => `tg-${attempt.slice(-8)}-`;

/** A relative $TMPDIR is meant from where we run, not from where the CLI does. */
const systemTemporary = (): string => path.resolve(tmpdir());

/** The attempt of a call that another process made. */
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

/** Nothing was started: nothing of it is worth keeping. */
export function discardAttempt(attempt: Attempt, overlay: Overlay): void {
  removeFolder(attempt.folder, [attempt.files.stdin]);
  removeTemporaries(attempt, overlay);
}

/** Of a call that left nothing to judge; its attempt stays. */
export const discardTemporaries = (
  attempt: Pick<Attempt, 'folder' | 'temporary'>,
  overlayFolders: readonly string[],
): void => removeTemporaries(attempt, { folders: [...overlayFolders] });

/** Their names may come from a file that an agent could have written: of the system's $TMPDIR, and of our own making. */
export function removeTemporaries(
  attempt: Pick<Attempt, 'folder' | 'temporary'>,
  overlay: Pick<Overlay, 'folders'>,
): void {
  if (hasOwnTemporary(attempt)) removeFolder(attempt.temporary, 'whatever');
  for (const folder of overlay.folders)
    if (lookAtFolder('overlay', folder) === 'ours') removeFolder(folder, 'whatever');
}

/** Whether its `$TMPDIR` is a folder of our making, and may be removed. */
export const hasOwnTemporary = ({ folder, temporary }: Pick<Attempt, 'folder' | 'temporary'>): boolean =>
  path.dirname(temporary) === systemTemporary() &&
  path.basename(temporary).startsWith(prefixFor(folder)) &&
  lookAtFolder('temporary', temporary) === 'ours';

/**
 * Most hold a few files at the most: taking them away one by one is five times as fast as a removal that looks for more.
 * @param files what may lie there
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

/** What a tool left read-only (as a module cache does) may stay: the result stands all the same. */
function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It lies in the system's temporary folder, which is cleaned by others.
  }
}
