// Registers a call in the user's register while its guardian lives, so that a sweep can find what the call left behind.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import {
  REGISTER_VERSION,
  type RegisterEntry,
  registerFolder,
  removeEntry,
  writeEntry,
} from '../../state/calls/call-register.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { type Draft, wallMs } from '../attempt/draft.ts';
import { savedOf } from '../attempt/saved-draft.ts';

export interface RegisteredCall {
  /** Whether a sweep finds the call. */
  isKnown: boolean;
  started(cli: ProcessIdentity | null): void;
  /** The started process has ended, and will be started once more. */
  again(): void;
  /** Called when no process of the call remains, and every file is where it belongs. */
  forget(): void;
}

/** A call that cannot be registered is made anyway. */
export function register(draft: Draft, attempt: Attempt, overlay: Overlay, guardian: ProcessIdentity): RegisteredCall {
  const folder = registerFolder(draft.request.call.environment);
  const entry = entryOf(draft, attempt, overlay, guardian);
  const file = folder === null ? null : writeEntry(folder, entry);
  return {
    isKnown: file !== null,
    started: (cli) => {
      if (file !== null && cli !== null) writeEntry(folder!, { ...entry, cli });
    },
    again: () => {
      if (file !== null) writeEntry(folder!, entry);
    },
    forget: () => {
      if (file !== null) removeEntry(file);
    },
  };
}

/** Says how to get the answer of a paid call, if it could not be published where it was requested. */
export function wayOut({ request }: Draft, { isKnown }: RegisteredCall): string {
  if (request.charge !== null) return 'the next run of its task judges and publishes it';
  return isKnown ? 'once that is mended, preflight --sweep publishes it' : 'take it from there';
}

export const deadlineOf = (draft: Draft): Date => new Date(draft.startedAt.getTime() + wallMs(draft.request));

function entryOf(draft: Draft, attempt: Attempt, overlay: Overlay, guardian: ProcessIdentity): RegisterEntry {
  const { callId, request } = draft;
  const { charge, call, adapter } = request;
  return {
    v: REGISTER_VERSION,
    call_id: callId,
    guardian,
    cli: null,
    marker: markerOf(callId, call.environment),
    deadline_at: deadlineOf(draft).toISOString(),
    attempt: attempt.folder,
    temporary: attempt.temporary,
    overlay_folders: overlay.folders,
    task: charge?.task.root ?? null,
    draft: charge === null ? savedOf(attempt, draft, overlay) : null,
    ...(call.resumeSession === null ? {} : { session: { tool: adapter.tool, id: call.resumeSession } }),
  };
}
