// What becomes of an attempt whose call is over: what its CLI left is kept without secrets, or goes.

import { closeSync, fchmodSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { FAILURE_REPORTS } from '../../policies/facts/private-names.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { openRegular, readRegular } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { redactorOf } from '../redactor.ts';
import { type Attempt, removeFolder, removeTemporaries } from './attempt.ts';
import type { ClosingDraft, Draft } from './draft.ts';
import { copyRedacted } from './redacted-copy.ts';

/** The draft itself with its redactor, which nothing needs before there is something to tell. */
export const closing = (draft: Draft): ClosingDraft =>
  isClosing(draft)
    ? draft
    : Object.assign(draft, { redactor: redactorOf(draft.request.call.environment, draft.request.redactionPatterns) });

const isClosing = (draft: Draft): draft is ClosingDraft => 'redactor' in draft;

/** `copied`: the attempt has redacted copies of its raw files, which are needed no more. `why` is what could not be written. */
export type Published = { how: 'published'; copied: boolean } | { how: 'unpublished'; why: string };

/**
 * A task keeps what its CLI left, without secrets; a call on its own leaves what was published. What could not be published, or
 * is to be kept raw, stays as it is. Called when what was published is on disk, and the verdict says so.
 */
export function closeAttempt(attempt: Attempt, overlay: Overlay, draft: ClosingDraft, published: Published): void {
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

/** A CLI's own report of a failure holds the whole conversation: it stays in the attempt, private, and without secrets. */
function harvest({ temporary, folder, files }: Attempt, { redactor, withheld }: ClosingDraft): void {
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
  Object.values(FAILURE_REPORTS).some((begins) => begins !== null && name.startsWith(begins));

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
