// Restores a call whose wrapper is gone. An agent can write its draft, so the facts of the journal take precedence.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { MachineClocks } from '../../policies/facts/deadline.ts';
import { isBuiltIn, isTool } from '../../policies/facts/tools.ts';
import { accountPlaces } from '../../policies/limits/user-accounts.ts';
import { type CallTerms, isTerms, strictest } from '../../policies/manifest/call-terms.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import { patternMistake } from '../../policies/redact/patterns.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { isOwnRow } from '../../policies/rules/described-cli.ts';
import { TAG } from '../../policies/session/session-entry.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { type Container, containerName } from '../../wrappers/prefix.ts';
import type { Tree } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { redactorOf } from '../redactor.ts';
import { type Attempt, attemptIn, hasOwnTemporary, removeTemporaries } from './attempt.ts';
import { promptIn } from './captured.ts';
import { NOT_REACHED, type RecordableCall, sha256 } from './phases.ts';
import type { WrapperRequest } from './request.ts';
import { draftFile, type Saved, withheldFrom } from './saved-draft.ts';

export interface RestoredCall {
  readonly call: RecordableCall;
  readonly attempt: Attempt;
  readonly overlay: Overlay;
  readonly clocks: MachineClocks | null;
}

/** @returns null if there is no draft. */
export function restoreCall(
  folder: string,
  call: Call,
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): RestoredCall | null {
  const known = believed(folder, call);
  if (known === null) return null;
  const restored = restoreSaved(known.saved, folder, task, environment, clock);
  if (restored === null || !known.isEdited) return restored;
  return { ...restored, call: { ...restored.call, withheld: hiddenFrom(folder) } };
}

/** @param task null for a call without a task. */
export function restoreSaved(
  saved: Saved,
  folder: string,
  task: TaskFolder | null,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): RestoredCall | null {
  const attempt = attemptIn(folder, saved.temporary);
  const adapter = saved.own_tool === undefined ? adapterOf(saved.tool) : ownAdapter(saved.own_tool);
  const request: WrapperRequest = {
    callId: saved.call_id,
    adapter,
    // Its session is in the folder of its account.
    call: { ...saved.call, environment: { ...environment, ...accountPlaces(saved.tool, saved.account ?? {}) } },
    ...(saved.tag === undefined ? {} : { tag: saved.tag }),
    files: saved.files,
    limits: withStart(saved.limits),
    charge: task && { task, stage: saved.stage, runId: null, forPrompt: null },
    redactionPatterns: saved.redaction_patterns,
    ownRows: saved.own_rows ?? [],
    // The saved warnings already include them.
    composed: { warnings: [], leftOut: saved.left_out ?? [] },
    keepRaw: saved.keep_raw === true,
    // The relay ended with its wrapper.
    recordRequests: false,
  };
  const call: RecordableCall = {
    ...NOT_REACHED,
    request,
    callId: saved.call_id,
    announced: null,
    startedAt: new Date(saved.started_at),
    begunMs: nowMs(),
    prompt: promptIn(attempt),
    cliVersion: saved.cli_version ?? versionOfPackage(saved.binary, adapter.packageName),
    argv: saved.argv,
    warnings: saved.warnings,
    withheld: withheldFrom(saved.secret_names ?? [], environment, folder),
    redactor: redactorOf(environment, saved.redaction_patterns),
    clock,
  };
  return {
    call,
    attempt,
    overlay: { argv: [], environment: {}, folders: saved.overlay_folders, warnings: [] },
    clocks: saved.clocks ?? null,
  };
}

/** Finds what a call started, from its journal and its attempt's folder. An agent may have written to both. */
export function treeOf(open: Call, folder: string): Promise<Tree> {
  const { call_id, guardian } = open.reserved;
  return foundTree({
    // Without the draft, the outer part of the marker is not known, but the call's own id is.
    marker: savedMarker(folder, open) ?? call_id,
    root: open.started?.cli ?? null,
    guardian,
    folders: [folder, ...savedTemporary(folder, open)],
    container: containerIn(believed(folder, open)?.saved ?? null, call_id),
  });
}

/** The container of a call that has its prefix in its draft. Its program and its name are ours, whatever the draft holds. */
export const containerIn = (saved: Saved | null, callId: string): Container | null =>
  saved?.prefix === undefined ? null : { prefix: saved.prefix, name: containerName(callId) };

/** The marker of the call's processes; null if the call died before its CLI could be started. */
export const savedMarker = (folder: string, call: Call): string | null => believed(folder, call)?.saved.marker ?? null;

/** The call's own $TMPDIR; empty if the named folder does not belong to the call. */
const savedTemporary = (folder: string, call: Call): string[] => {
  const temporary = believed(folder, call)?.saved.temporary ?? '';
  return hasOwnTemporary({ folder, temporary }) ? [temporary] : [];
};

/** Removes the temporary folders of a call that wrote no result to classify. */
export function discardSaved(folder: string, call: Call): void {
  const known = believed(folder, call);
  if (known === null) return;
  removeTemporaries({ folder, temporary: known.saved.temporary }, known.saved.overlay_folders);
}

/** When the call was prepared; null if this is not known. */
export function savedStart(folder: string, call: Call): { startedAt: Date; clocks: MachineClocks | null } | null {
  const { terms } = call.reserved;
  const known = isTerms(terms) ? terms : believed(folder, call)?.saved;
  return known === undefined ? null : { startedAt: new Date(known.started_at), clocks: known.clocks ?? null };
}

/** The project's rows that apply to the call; null if its draft is gone. */
export function savedRows(folder: string, call: Call): readonly OwnRow[] | null {
  const known = believed(folder, call);
  return known === null || known.isEdited ? null : (known.saved.own_rows ?? []);
}

/** Whether the call's folder was trusted, by a flag or permanently. False if this is not known. */
export function savedTrust(folder: string, call: Call): boolean {
  const known = believed(folder, call);
  return known !== null && !known.isEdited && known.saved.call.trustWorkspace;
}

/**
 * Returns the redactor for the call's files, and why it cannot remove every secret, or null. Returns null if the draft is gone.
 * @param environment the environment of the reader, which may lack secrets of the call.
 */
export function savedRedactor(
  folder: string,
  call: Call,
  environment: NodeJS.ProcessEnv,
): { redactor: Redactor; withheld: string | null; keepsRaw: boolean } | null {
  const known = believed(folder, call);
  if (known === null || !existsSync(draftFile(folder))) return null;
  const { saved, isEdited } = known;
  return {
    redactor: redactorOf(environment, saved.redaction_patterns),
    withheld: isEdited ? hiddenFrom(folder) : withheldFrom(saved.secret_names ?? [], environment, folder),
    keepsRaw: saved.keep_raw === true,
  };
}

interface Believed {
  saved: Saved;
  /** The draft is missing, or its wrapper did not write it. Then it is not trusted, and `saved` is made from the journal. */
  isEdited: boolean;
}

/** @returns null if there is no draft, and the journal lacks the terms, as those of older versions do. */
function believed(folder: string, { reserved, started }: Call): Believed | null {
  const text = readIfFit(draftFile(folder)) ?? '';
  const saved = parse(text);
  const { terms } = reserved;
  const hash = started?.draft_sha256;
  if (saved !== null && (hash === undefined || hash === sha256(Buffer.from(text))))
    return { saved: isTerms(terms) ? held(saved, terms) : bounded(saved, reserved), isEdited: false };
  return isTerms(terms) ? { saved: fromTerms(folder, reserved, terms), isEdited: true } : null;
}

function parse(text: string): Saved | null {
  try {
    const saved: unknown = JSON.parse(text);
    return isSaved(saved) ? saved : null;
  } catch {
    return null;
  }
}

/** Overrides the draft with the granted terms, which always take precedence. A draft has no hash until its CLI is started. */
function held(saved: Saved, { limits, ...terms }: CallTerms): Saved {
  return { ...saved, ...terms, limits: strictest(withStart(saved.limits), limits) };
}

/** For a journal that records only the deadline. */
function bounded(saved: Saved, { at, deadline_at }: Call['reserved']): Saved {
  const wallMs = Date.parse(deadline_at) - Date.parse(at) + PREPARING_MS;
  const limits = withStart(saved.limits);
  return Number.isFinite(wallMs) ? { ...saved, limits: strictest(limits, { ...limits, timeoutMs: wallMs }) } : saved;
}

/** Longer than the time between a call's preparation and its reservation. */
const PREPARING_MS = 60_000;

function fromTerms(folder: string, { call_id, tool, stage }: Call['reserved'], terms: CallTerms): Saved {
  const task = path.dirname(path.dirname(path.dirname(folder)));
  const { out, err } = outputsOf({ outputs: path.join(task, 'outputs') }, { name: stage, tool });
  const nowhere = { result: null, sessionIdOut: null, doneMarker: null, pidFile: null };
  return {
    ...terms,
    call_id,
    tool,
    stage,
    binary: '',
    cli_version: null,
    argv: [],
    call: UNKNOWN_CALL,
    files: { prompt: path.join(folder, 'prompt'), out, err, ...nowhere },
    redaction_patterns: [],
    warnings: [EDITED],
  };
}

/** Only the inner retries matter once the call runs. */
export const UNKNOWN_CALL: Saved['call'] = {
  model: null,
  resumeSession: null,
  newSession: '',
  access: 'read',
  maxTurns: null,
  innerRetries: 'cut',
  trustWorkspace: false,
  cwd: '/',
  own: {},
};

const EDITED =
  'the attempt.json of the call is not the one that its wrapper wrote: the call was settled by what the journal says of it';

const hiddenFrom = (folder: string): string =>
  `[withheld: the attempt.json of the call, which says what is secret, is not the one that its wrapper wrote; as it was: ${folder}]`;

/** Rejects an incomplete draft, or one that was planted. */
export function isSaved(value: unknown): value is Saved {
  const saved = (value ?? {}) as Partial<Saved>;
  const { call_id, stage, marker, temporary, tool, files, own_rows = [] } = saved;
  return (
    [call_id, stage, marker, temporary].every((text) => typeof text === 'string') &&
    isTool(tool as string) &&
    [saved.argv, saved.redaction_patterns, saved.overlay_folders, saved.warnings].every(isTexts) &&
    (saved.redaction_patterns ?? []).every((pattern) => patternMistake(pattern) === null) &&
    [saved.call, saved.limits, files].every((part) => typeof part === 'object' && part !== null) &&
    !Number.isNaN(Date.parse(String(saved.started_at))) &&
    ['out', 'err'].every((name) => typeof files?.[name as 'out'] === 'string') &&
    Object.values(files ?? {}).every((file) => file === null || (typeof file === 'string' && path.isAbsolute(file))) &&
    Array.isArray(own_rows) &&
    (saved.own_tool === undefined ? isBuiltIn(tool) : isOwnRow(saved.own_tool, tool)) &&
    isLeftOut(saved.left_out ?? []) &&
    isTexts(saved.secret_names ?? []) &&
    isTexts(Object.values(saved.account ?? {})) &&
    isTexts(saved.prefix ?? []) &&
    (saved.tag === undefined || (TAG.test(saved.tag.name) && path.isAbsolute(saved.tag.stateFolder))) &&
    [saved.binary, saved.cli_version ?? ''].every((text) => typeof text === 'string')
  );
}

const isLeftOut = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (row: Partial<Omission> | null) =>
      typeof row?.what === 'string' && Number.isFinite(row.kept) && Number.isFinite(row.chars),
  );

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Adds the start limit to a draft of a version that had none. */
const withStart = (limits: Saved['limits']): Saved['limits'] => ({
  ...limits,
  startTimeoutMs: limits.startTimeoutMs ?? null,
});
