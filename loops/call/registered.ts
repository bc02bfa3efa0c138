// Registers a call in the user's register while its guardian lives, so that a sweep can find what the call left behind.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import {
  REGISTER_VERSION,
  type RegisterEntry,
  registerFolder,
  removeEntry,
  writeEntry,
} from '../../state/calls/call-register.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import {
  type BegunCall,
  type EquippedCall,
  type PreparedCall,
  type RegisteredCall,
  wallMs,
} from '../attempt/phases.ts';
import { savedOf } from '../attempt/saved-draft.ts';

/** A call that cannot be registered is made anyway. */
export function register(call: EquippedCall, guardian: ProcessIdentity): RegisteredCall {
  const folder = registerFolder(call.request.call.environment);
  const entry = entryOf(call, guardian);
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
export function wayOut({ request, registered }: PreparedCall): string {
  if (request.charge !== null) return 'the next run of its task judges and publishes it';
  return registered.isKnown ? 'once that is corrected, preflight --sweep publishes it' : 'take it from there';
}

export const deadlineOf = ({ startedAt, request }: BegunCall): Date => new Date(startedAt.getTime() + wallMs(request));

function entryOf(equipped: EquippedCall, guardian: ProcessIdentity): RegisterEntry {
  const { callId, request, attempt, overlay } = equipped;
  const { charge, call, adapter } = request;
  return {
    v: REGISTER_VERSION,
    call_id: callId,
    guardian,
    cli: null,
    marker: markerOf(callId, call.environment),
    deadline_at: deadlineOf(equipped).toISOString(),
    attempt: attempt.folder,
    temporary: attempt.temporary,
    overlay_folders: overlay.folders,
    task: charge?.task.root ?? null,
    draft: charge === null ? savedOf(equipped) : null,
    ...(call.resumeSession === null ? {} : { session: { tool: adapter.tool, id: call.resumeSession } }),
  };
}
