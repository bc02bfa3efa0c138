// Creates all that a CLI needs on disk, before the call is paid. A sweep can find the files before they have content.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { lacking, withoutFlags } from '../../wrappers/feature.ts';
import { type Attempt, discardAttempt, discardTemporaries, fillAttempt, nameAttempt } from '../attempt/attempt.ts';
import type { Draft } from '../attempt/draft.ts';
import { withFilesOf } from '../attempt/own-files.ts';
import { saveDraft } from '../attempt/saved-draft.ts';
import type { Refusal } from './check.ts';
import { type RegisteredCall, register } from './registered.ts';

export interface Ready {
  how: 'ready';
  attempt: Attempt;
  overlay: Overlay;
  guardian: ProcessIdentity;
  registered: RegisteredCall;
  /** The draft as written to disk; null for a call without a task. */
  saved: string | null;
}

/** @param guardian the process that waits for the call, and ends it. */
export function prepare(draft: Draft, guardian: ProcessIdentity): Ready | { how: 'refused'; refusal: Refusal } {
  const { request, callId } = draft;
  const { adapter, charge } = request;
  const made: Partial<Ready> = {};
  try {
    const attempt = nameAttempt(request, callId);
    made.attempt = attempt;
    made.overlay = adapter.overlay(request.call);
    const overlay = draft.recorder?.directed(made.overlay) ?? made.overlay;
    made.overlay = overlay;
    const counting = adapter.usageFile === null ? [] : [adapter.usageFile.argument(attempt.files.usage)];
    const lacked = lacking(adapter.features, draft.cliVersion);
    const words = withoutFlags(adapter.argv(request.call, [...overlay.argv, ...counting]), lacked);
    draft.argv = withFilesOf(adapter, words, attempt.files);
    draft.warnings.push(...overlay.warnings);
    // From here on, a sweep cleans up after a killed guardian. Nothing else records where the prompt is stored.
    const registered = register(draft, attempt, overlay, guardian);
    made.registered = registered;
    if (!registered.isKnown && charge === null) draft.warnings.push(UNREGISTERED);
    let saved: string | null = null;
    fillAttempt(attempt, draft, () => {
      if (charge !== null) saved = saveDraft(attempt, draft, overlay);
    });
    return { how: 'ready', attempt, overlay, guardian, registered, saved };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // On a full disk, each try would otherwise add another folder.
    if (made.attempt !== undefined) discardTemporaries(made.attempt, made.overlay?.folders ?? []);
    made.registered?.forget();
    const { message } = error;
    const what = `the call could not be prepared (${message}); nothing was started. Make its folders and $TMPDIR writable, with space on their disks`;
    return { how: 'refused', refusal: { class: 'tooling', reason: 'disk', exit: 'failure', message: what } };
  }
}

const UNREGISTERED =
  'the call could not be registered (the user has no home that can be written): if its wrapper is killed, preflight --sweep does not find it';

/** Cleans up after a call that was not started. */
export function discard({ attempt, overlay, registered }: Ready): void {
  discardAttempt(attempt, overlay);
  registered.forget();
}
