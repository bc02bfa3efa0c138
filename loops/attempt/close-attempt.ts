// Closes the attempt of a call that is over: keeps the CLI's files without secrets, or removes them.

import { closeSync, fchmodSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { FAILURE_REPORTS } from '../../policies/facts/file-names.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { openRegular, readRegular } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { redactorOf } from '../redactor.ts';
import { type Attempt, removeFolder, removeTemporaries } from './attempt.ts';
import type { RecordableCall } from './phases.ts';
import { copyRedacted } from './redacted-copy.ts';
import type { WrapperRequest } from './request.ts';

/** Throws if one of the user's patterns is invalid. */
export const redactorFor = ({ call, redactionPatterns }: WrapperRequest): Redactor =>
  redactorOf(call.environment, redactionPatterns);

/** `copied`: the attempt has redacted copies, so its raw files are no longer needed. `why`: what could not be written. */
export type Published = { how: 'done'; copied: boolean } | { how: 'failed'; why: string };

/**
 * A task keeps its CLI's files, without secrets. A call without a task keeps only what was published. Files that could not be
 * published, or that are to be kept raw, stay as they are. Called after the published files and the verdict are on disk.
 */
export function closeAttempt(attempt: Attempt, overlay: Overlay, call: RecordableCall, published: Published): void {
  const { charge, keepRaw } = call.request;
  if (charge !== null) harvest(attempt, call);
  if (published.how === 'done' && !keepRaw) {
    if (charge === null) removeFolder(attempt.folder);
    else if (published.copied) removeRaw(attempt.files, call.redactor);
  }
  removeTemporaries(attempt, overlay.folders);
}

/** For a call whose redacted copies are on disk. If a file cannot be removed, the task's next run handles it. */
export function removeRaw(files: Attempt['files'], redactor: Redactor): void {
  for (const file of [files.stdout, files.stderr]) tried(() => unlinkSync(file));
  for (const file of [files.stdin, files.usage]) tried(() => redactInPlace(file, redactor));
}

/** Most of these files hold no secret, and stay. */
function redactInPlace(file: string, redactor: Redactor): void {
  const text = readRegular(file);
  const redacted = redactor.redact(text);
  if (redacted !== text) replaceText(file, redacted);
}

/** A CLI's own failure report holds the whole conversation. A private copy without secrets stays in the attempt. */
function harvest({ temporary, folder, files }: Attempt, { redactor, withheld }: RecordableCall): void {
  // A CLI chooses the permissions of its token count file itself.
  tried(() => makePrivate(files.usage));
  if (withheld !== null) return;
  tried(() => {
    for (const name of readdirSync(temporary))
      if (isFailureReport(name))
        tried(() => copyRedacted(path.join(temporary, name), path.join(folder, name), redactor, 'renamed'));
  });
}

/** Reports of any CLI count, since an agent may have called another one. */
const isFailureReport = (name: string): boolean =>
  Object.values(FAILURE_REPORTS).some((begins) => begins !== null && name.startsWith(begins));

function makePrivate(file: string): void {
  const fd = openRegular(file);
  try {
    fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

/** A file that cannot be copied is lost with the folder; the result is not affected. */
function tried(does: () => void): void {
  try {
    does();
  } catch {
    // The file is missing, is not a regular file, or the disk is full.
  }
}
