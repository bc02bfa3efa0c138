// Creates all that a CLI needs on disk, before the call is paid. A sweep can find the files before they have content.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { lacking, withoutFlags } from '../../wrappers/feature.ts';
import { type Attempt, discardAttempt, discardTemporaries, fillAttempt, nameAttempt } from '../attempt/attempt.ts';
import { keepPlaces } from '../attempt/kept-folders.ts';
import { withFilesOf } from '../attempt/own-files.ts';
import type { CheckedCall, EquippedCall, PreparedCall, RegisteredCall } from '../attempt/phases.ts';
import { saveDraft } from '../attempt/saved-draft.ts';
import type { Refusal } from './check.ts';
import { register } from './registered.ts';

type Prepared = { how: 'ready'; call: PreparedCall } | { how: 'refused'; refusal: Refusal };

/** @param guardian the process that waits for the call, and ends it. */
export function prepare(
  checked: CheckedCall,
  { countedBefore, recorder }: Pick<EquippedCall, 'countedBefore' | 'recorder'>,
  guardian: ProcessIdentity,
): Prepared {
  const { request } = checked;
  const { adapter, charge } = request;
  const made: { attempt?: Attempt; overlay?: Overlay; registered?: RegisteredCall; isFilled?: true } = {};
  try {
    const attempt = nameAttempt(request, checked.callId);
    made.attempt = attempt;
    made.overlay = adapter.overlay(request.call);
    const overlay = recorder?.directed(made.overlay) ?? made.overlay;
    made.overlay = overlay;
    const counting = adapter.usageFile === null ? [] : [adapter.usageFile.argument(attempt.files.usage)];
    const lacked = lacking(adapter.features, checked.cliVersion);
    const words = withoutFlags(adapter.argv(request.call, [...overlay.argv, ...counting]), lacked);
    const argv = withFilesOf(adapter, words, attempt.files);
    const warnings = [...checked.warnings, ...overlay.warnings];
    const equipped: EquippedCall = { ...checked, argv, attempt, overlay, countedBefore, recorder, warnings };
    // From here on, a sweep cleans up after a killed guardian. Nothing else records where the prompt is stored.
    const registered = register(equipped, guardian);
    made.registered = registered;
    const isLost = !registered.isKnown && charge === null;
    const found: EquippedCall = isLost ? { ...equipped, warnings: [...warnings, UNREGISTERED] } : equipped;
    let saved: string | null = null;
    fillAttempt(attempt, request, found.prompt, () => {
      if (charge !== null) saved = saveDraft(found);
    });
    made.isFilled = true;
    const folders = keepPlaces(request, attempt.folder);
    return { how: 'ready', call: { ...found, guardian, registered, saved, folders } };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // On a full disk, each try would otherwise add another folder.
    if (made.isFilled) discardAttempt(made.attempt!, made.overlay!);
    else if (made.attempt !== undefined) discardTemporaries(made.attempt, made.overlay?.folders ?? []);
    made.registered?.forget();
    const { message } = error;
    const what = `the call could not be prepared (${message}); nothing was started. Make its folders and $TMPDIR writable, with space on their disks`;
    return { how: 'refused', refusal: { class: 'tooling', reason: 'disk', exit: 'failure', message: what } };
  }
}

const UNREGISTERED =
  'the call could not be registered (the user has no home that can be written): if its wrapper is killed, preflight --sweep does not find it';

/** Cleans up after a call that was not started. */
export function discard({ attempt, overlay, registered }: PreparedCall): void {
  discardAttempt(attempt, overlay);
  registered.forget();
}
