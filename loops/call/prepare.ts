// Registers a call and creates all that its CLI needs on disk, before the call is paid. A sweep finds what remains of it.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { lackOfServer, lackOfServers } from '../../policies/facts/requirements.ts';
import {
  REGISTER_VERSION,
  type RegisterEntry,
  registerFolder,
  removeEntry,
  writeEntry,
} from '../../state/calls/call-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { lacking, withoutFlags } from '../../wrappers/feature.ts';
import { lineOf } from '../../wrappers/prefix.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { ignoredBy } from '../../wrappers/startable.ts';
import { type Attempt, discardAttempt, fillAttempt, nameAttempt, removeTemporaries } from '../attempt/attempt.ts';
import { logOf, prefixedCall, settingsFile, withFilesOf } from '../attempt/invocation.ts';
import {
  type BegunCall,
  type CheckedCall,
  type EquippedCall,
  type PreparedCall,
  type RegisteredCall,
  wallMs,
} from '../attempt/phases.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { keepPlaces } from '../attempt/result-paths.ts';
import { saveDraft, savedOf } from '../attempt/saved-draft.ts';
import { type Refusal, toolingRefusal } from './check.ts';

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
    const logging = logOf(request, attempt)?.argv ?? [];
    const lacked = lacking(adapter.features, checked.cliVersion);
    const schemaFile = path.join(attempt.temporary, 'answer-schema.json');
    const schema = flaggedSchema(request);
    const formed = schema === null ? [] : adapter.answerSchema!.argv(schema, schemaFile);
    const usd = request.limits.caps?.usd?.max;
    const capped = usd === undefined ? request.call : { ...request.call, maxUsd: usd };
    const words = withoutFlags(adapter.argv(capped, [...overlay.argv, ...counting, ...formed, ...logging]), lacked);
    const argv = withFilesOf(adapter, words, attempt.files);
    const warnings = [...checked.warnings, ...overlay.warnings, ...missingServers(request)];
    const through = lineOf(adapter, prefixedCall({ ...checked, attempt, overlay }));
    const equipped: EquippedCall = { ...checked, argv, attempt, overlay, countedBefore, recorder, through, warnings };
    // From here on, a sweep cleans up after a killed guardian. Nothing else records where the prompt is stored.
    const registered = register(equipped, guardian);
    made.registered = registered;
    const isLost = !registered.isKnown && charge === null;
    const found: EquippedCall = isLost ? { ...equipped, warnings: [...warnings, UNREGISTERED] } : equipped;
    let saved: string | null = null;
    fillAttempt(attempt, request, found.prompt, () => {
      if (charge !== null) saved = saveDraft(found);
    });
    if (schema !== null) writeFileSync(schemaFile, JSON.stringify(schema), { mode: 0o600 });
    const settings = adapter.described?.settings(request.call) ?? null;
    if (settings !== null) writeFileSync(settingsFile(attempt), settings.text, { mode: 0o600 });
    made.isFilled = true;
    const folders = keepPlaces(request, attempt.folder);
    return { how: 'ready', call: { ...found, guardian, registered, saved, folders } };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // On a full disk, each try would otherwise add another folder.
    if (made.isFilled) discardAttempt(made.attempt!, made.overlay!);
    else if (made.attempt !== undefined) removeTemporaries(made.attempt, made.overlay?.folders ?? []);
    made.registered?.forget();
    const { message } = error;
    const what = `the call could not be prepared (${message}); nothing was started. Make its folders and $TMPDIR writable, with space on their disks`;
    return { how: 'refused', refusal: toolingRefusal('disk', what, 'failure') };
  }
}

/** Settings that are ignored refuse the call. */
const missingServers = ({ adapter, call }: WrapperRequest): string[] =>
  ignoredBy(adapter, call).map((one) =>
    one.what === 'server'
      ? lackOfServer({ name: one.name, state: 'failed', why: one.why })
      : lackOfServers(one.file, one.why),
  );

const UNREGISTERED =
  'the call could not be registered (the user has no home that can be written): if its wrapper is killed, tollgate preflight --sweep does not find it';

/** Returns the schema that is given to the CLI itself; null if there is none, or only the prompt requests it. */
function flaggedSchema({ adapter, call }: WrapperRequest) {
  const schema = call.requires?.schema;
  return schema !== undefined && adapter.answerSchema?.takes(schema) === true ? schema : null;
}

/** Cleans up after a call that was not started. */
export function discard({ attempt, overlay, registered }: PreparedCall): void {
  discardAttempt(attempt, overlay);
  registered.forget();
}

/** Says how to get the answer of a paid call, if it could not be published where it was requested. */
export function wayOut({ request, registered }: PreparedCall): string {
  if (request.charge !== null) return 'the next run of its task judges and publishes it';
  return registered.isKnown ? 'once that is corrected, tollgate preflight --sweep publishes it' : 'take it from there';
}

export const deadlineOf = ({ startedAt, request }: BegunCall): Date =>
  new Date(startedAt.getTime() + wallMs(request.limits));

/** Writes the call into the user's register. A call that cannot be registered is made anyway. */
function register(call: EquippedCall, guardian: ProcessIdentity): RegisteredCall {
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
