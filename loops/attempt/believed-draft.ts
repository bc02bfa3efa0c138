// Reads a call's draft as far as it can be trusted: its agent can write it, so the facts of the journal take precedence.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { MachineClocks } from '../../policies/facts/deadline.ts';
import { type CallTerms, isTerms, strictest } from '../../policies/manifest/call-terms.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { discardTemporaries, hasOwnTemporary } from './attempt.ts';
import { sha256 } from './phases.ts';
import { isSaved, type RestoredCall, restoreSaved, withStart } from './restored-draft.ts';
import { draftFile, type Saved } from './saved-draft.ts';
import { withheldFrom } from './unknown-secrets.ts';

/** The journal's facts about the call. */
type Journaled = Pick<Call, 'reserved' | 'started'>;

interface Believed {
  saved: Saved;
  /** The draft is missing, or its wrapper did not write it. Then it is not trusted, and `saved` is made from the journal. */
  isEdited: boolean;
}

/** @returns null if there is no draft, and the journal lacks the terms, as those of older versions do. */
function believed(folder: string, { reserved, started }: Journaled): Believed | null {
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
function bounded(saved: Saved, { at, deadline_at }: Journaled['reserved']): Saved {
  const wallMs = Date.parse(deadline_at) - Date.parse(at) + PREPARING_MS;
  const limits = withStart(saved.limits);
  return Number.isFinite(wallMs) ? { ...saved, limits: strictest(limits, { ...limits, timeoutMs: wallMs }) } : saved;
}

/** Longer than the time between a call's preparation and its reservation. */
const PREPARING_MS = 60_000;

function fromTerms(folder: string, { call_id, tool, stage }: Journaled['reserved'], terms: CallTerms): Saved {
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

/** The marker of the call's processes; null if the call died before its CLI could be started. */
export const savedMarker = (folder: string, call: Journaled): string | null =>
  believed(folder, call)?.saved.marker ?? null;

/** The call's own $TMPDIR; empty if the named folder does not belong to the call. */
export const savedTemporary = (folder: string, call: Journaled): string[] => {
  const temporary = believed(folder, call)?.saved.temporary ?? '';
  return hasOwnTemporary({ folder, temporary }) ? [temporary] : [];
};

/** Removes the temporary folders of a call that wrote no result to classify. */
export function discardSaved(folder: string, call: Journaled): void {
  const known = believed(folder, call);
  if (known === null) return;
  discardTemporaries({ folder, temporary: known.saved.temporary }, known.saved.overlay_folders);
}

/** When the call was prepared; null if this is not known. */
export function savedStart(folder: string, call: Journaled): { startedAt: Date; clocks: MachineClocks | null } | null {
  const { terms } = call.reserved;
  const known = isTerms(terms) ? terms : believed(folder, call)?.saved;
  return known === undefined ? null : { startedAt: new Date(known.started_at), clocks: known.clocks ?? null };
}

/** The project's rows that apply to the call; null if its draft is gone. */
export function savedRows(folder: string, call: Journaled): readonly OwnRow[] | null {
  const known = believed(folder, call);
  return known === null || known.isEdited ? null : (known.saved.own_rows ?? []);
}

/** Whether the call's folder was trusted, by a flag or permanently. False if this is not known. */
export function savedTrust(folder: string, call: Journaled): boolean {
  const known = believed(folder, call);
  return known !== null && !known.isEdited && known.saved.call.trustWorkspace;
}

/**
 * Returns the redactor for the call's files, and why it cannot remove every secret, or null. Returns null if the draft is gone.
 * @param environment the environment of the reader, which may lack secrets of the call.
 */
export function savedRedactor(
  folder: string,
  call: Journaled,
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

/** @returns null if there is no draft. */
export function restoreCall(
  folder: string,
  call: Journaled,
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
