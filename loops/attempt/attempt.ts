// Makes, recognises and removes the private folders of one attempt, which hold all that is needed to classify it.

import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OVERLAY_FOLDERS } from '../../policies/facts/file-names.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import type { WrapperRequest } from './request.ts';

interface AttemptFolders {
  folder: string;
  /** The CLI's own $TMPDIR: gemini stores whole conversations there. The path is short, because sockets in it need that. */
  temporary: string;
}

export interface Attempt extends AttemptFolders {
  files: { stdin: string; stdout: string; stderr: string; usage: string };
}

/** Chooses an attempt's paths and makes its $TMPDIR, empty, so that it is registered before it holds a prompt. */
export function nameAttempt(request: WrapperRequest, callId: string): Attempt {
  const folder = attemptFolder(request, callId);
  return attemptIn(folder, mkdtempSync(path.join(systemTemporary(), prefixFor(folder))));
}

/** All on the disk of `--out` (or the task), to be renamed into place. If it throws, only the $TMPDIR remains. */
export function fillAttempt(attempt: Attempt, { charge }: WrapperRequest, prompt: Buffer, save: () => void): void {
  // Other users may write beside --out: an existing folder may be a link that one of them made.
  if (charge === null) mkdirSync(attempt.folder, 0o700);
  else makeFolders(attempt.folder);
  try {
    writeFileSync(attempt.files.stdin, prompt, { mode: 0o600 });
    save();
  } catch (error) {
    removeFolder(attempt.folder);
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
  removeFolder(attempt.folder);
  removeTemporaries(attempt, overlay.folders);
}

/** An agent may have written the names, so only folders that we made in the system's $TMPDIR are removed. */
export function removeTemporaries(attempt: AttemptFolders, overlayFolders: readonly string[]): void {
  if (hasOwnTemporary(attempt)) removeFolder(attempt.temporary);
  for (const folder of overlayFolders) if (lookAtFolder('overlay', folder) === 'ours') removeFolder(folder);
}

/** Whether we made its `$TMPDIR`, so that it may be removed. */
export const hasOwnTemporary = ({ folder, temporary }: AttemptFolders): boolean =>
  path.dirname(temporary) === systemTemporary() &&
  path.basename(temporary).startsWith(prefixFor(folder)) &&
  lookAtFolder('temporary', temporary) === 'ours';

/** Files that a tool made read-only (as a module cache does) may remain; the result is not affected. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The folder is in the system's temporary folder, which the system cleans.
  }
}

export type PrivateFolderKind = 'attempt' | 'temporary' | 'overlay';

/** `strange`: it belongs to another user, is a link, or has a name that we never use. It is neither read nor removed. */
export function lookAtFolder(what: PrivateFolderKind, folder: string): 'ours' | 'absent' | 'strange' {
  if (path.resolve(folder) !== folder || !NAMES[what].test(folder)) return 'strange';
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() ? 'ours' : 'strange';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'strange';
  }
}

/** A file that the classification needs but that is not regular, although we make only those; or null. */
export function strangeFileIn(attempt: string): string | null {
  return FILES.find((name) => isNoFile(path.join(attempt, name))) ?? null;
}

/** An answer is valid even if its prompt, its stderr or its token count is missing. */
const FILES = ['attempt.json', 'stdout'];

function isNoFile(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}

/** Does nothing to a folder that is absent or strange. @returns whether it was there, and is gone. */
export function removePrivateFolder(what: PrivateFolderKind, folder: string): boolean {
  if (lookAtFolder(what, folder) !== 'ours') return false;
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    // A tool may have left a read-only file; nothing there is worth keeping.
    return false;
  }
}

const OVERLAYS = Object.values(OVERLAY_FOLDERS).flatMap((begins) => begins ?? []);

/** The endings are those of `mkdtemp`, or call ids. */
const NAMES: Record<PrivateFolderKind, RegExp> = {
  attempt: /\/\.tollgate-\d{14}-[0-9a-f]{8}$/,
  temporary: /\/tg-(?:[0-9a-f]{8}-)?[A-Za-z0-9]{6}$/,
  overlay: new RegExp(`/tollgate/(?:${OVERLAYS.join('|')})[A-Za-z0-9]{6}$`),
};
