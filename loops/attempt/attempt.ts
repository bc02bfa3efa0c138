// The private folder of one attempt: what is needed to judge it stands there before it is paid.

import {
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { openRegular, readRegular } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { Adapter, Overlay } from '../../wrappers/adapter.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { Draft } from './draft.ts';
import { lookAtFolder } from './private-folders.ts';
import { copyRedacted } from './redacted-copy.ts';
import type { WrapperRequest } from './request.ts';

export interface Attempt {
  folder: string;
  files: { stdin: string; stdout: string; stderr: string; usage: string };
  /** The CLI's own $TMPDIR: gemini drops whole conversations there. A short path, for sockets in it. */
  temporary: string;
}

/** `copied`: the attempt has redacted copies of its raw files, which are needed no more. `why` is what could not be written. */
export type Published = { how: 'published'; copied: boolean } | { how: 'unpublished'; why: string };

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

/**
 * A task keeps what its CLI left, without secrets; a call on its own leaves what was published. What could not be published, or
 * is to be kept raw, stays as it is. Called when what was published is on disk, and the verdict says so.
 */
export function closeAttempt(attempt: Attempt, overlay: Overlay, draft: Draft, published: Published): void {
  const { charge, keepRaw } = draft.request;
  if (charge !== null) harvest(attempt, draft);
  if (published.how === 'published' && !keepRaw) {
    if (charge === null) removeFolder(attempt.folder, Object.values(attempt.files));
    else if (published.copied) removeRaw(attempt, draft.redactor);
  }
  removeTemporaries(attempt, overlay);
}

/** Of a call whose redacted copies are on disk. What cannot be taken away is looked at by the task's next run. */
export function removeRaw({ files }: Pick<Attempt, 'files'>, redactor: Redactor): void {
  for (const file of [files.stdout, files.stderr]) tried(() => unlinkSync(file));
  for (const file of [files.stdin, files.usage]) tried(() => redactInPlace(file, redactor));
}

/** Most hold no secret, and stay. */
function redactInPlace(file: string, redactor: Redactor): void {
  const text = readRegular(file);
  const redacted = redactor.redact(text);
  if (redacted !== text) replaceText(file, redacted);
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
function removeTemporaries(attempt: Pick<Attempt, 'folder' | 'temporary'>, overlay: Pick<Overlay, 'folders'>): void {
  if (hasOwnTemporary(attempt)) removeFolder(attempt.temporary, []);
  for (const folder of overlay.folders) if (lookAtFolder('overlay', folder) === 'ours') removeFolder(folder, []);
}

/** Whether its `$TMPDIR` is a folder of our making, and may be removed. */
export const hasOwnTemporary = ({ folder, temporary }: Pick<Attempt, 'folder' | 'temporary'>): boolean =>
  path.dirname(temporary) === systemTemporary() &&
  path.basename(temporary).startsWith(prefixFor(folder)) &&
  lookAtFolder('temporary', temporary) === 'ours';

/** Removing what is known to be there is five times as fast as looking for it. */
function removeFolder(folder: string, files: readonly string[]): void {
  try {
    for (const file of files) if (existsSync(file)) unlinkSync(file);
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

/** A CLI's own report of a failure holds the whole conversation: it stays in the attempt, private, and without secrets. */
function harvest({ temporary, folder, files }: Attempt, { redactor, withheld }: Draft): void {
  // A CLI makes its count of tokens with the rights that it likes.
  tried(() => makePrivate(files.usage));
  if (withheld !== null) return;
  tried(() => {
    for (const name of readdirSync(temporary))
      if (isFailureReport(name))
        tried(() => copyRedacted(path.join(temporary, name), path.join(folder, name), redactor, 'renamed'));
  });
}

/** Of any CLI: an agent may have called another one. */
const isFailureReport = (name: string): boolean =>
  Object.values<Adapter>(ADAPTERS).some(
    ({ failureReport }) => failureReport !== null && name.startsWith(failureReport.begins),
  );

function makePrivate(file: string): void {
  const fd = openRegular(file);
  try {
    fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

/** What cannot be harvested is lost with the folder; the result stands. */
function tried(does: () => void): void {
  try {
    does();
  } catch {
    // It is not there, is no regular file, or the disk is full.
  }
}
