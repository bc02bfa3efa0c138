// Closes a standalone call whose guardian was killed: classifies its files, and publishes them unless other files are there.

import { existsSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { rawOf } from '../../policies/facts/file-names.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { RegisterEntry } from '../../state/calls/call-register.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import { temporaryPrefix } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { type Attempt, lookAtFolder, removePrivateFolder, strangeFileIn } from '../attempt/attempt.ts';
import { closeAttempt } from '../attempt/close-attempt.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { isSaved, restoreSaved } from '../attempt/restored-draft.ts';
import type { Saved } from '../attempt/saved-draft.ts';
import { logApiFailure } from '../call/api-failure.ts';
import { DIED, outcomeOf, recorded, wasStarted } from '../call/close-orphaned-call.ts';
import { publishAll } from '../call/publish.ts';
import type { Sweeping } from './swept.ts';

export type Closed = { how: 'nothing' } | { how: 'settled' | 'kept' | 'failed'; place: string; why: string };

/** The answer was paid for. It is published as its wrapper would have done, or kept where it is; it is never removed. */
export async function closeAlone(
  entry: RegisterEntry,
  ended: { how: 'timed_out' | 'cancelled'; processes: number },
  { environment, clock }: Sweeping,
): Promise<Closed> {
  const { attempt: folder } = entry;
  const saved = savedIn(entry);
  if (saved !== null) removeHalves(saved.files, entry.guardian.pid);
  if (lookAtFolder('attempt', folder) === 'absent') return { how: 'nothing' };
  if (saved === null) return { how: 'failed', place: folder, why: 'the register does not tell how it was called' };
  const linked = strangeFileIn(folder);
  if (linked !== null) return { how: 'failed', place: folder, why: `its ${linked} is no regular file` };
  const restored = restoreSaved(saved, folder, null, environment, clock);
  if (restored === null || !wasStarted(restored.attempt, entry.cli !== null)) {
    removePrivateFolder('attempt', folder);
    return { how: 'nothing' };
  }
  const { attempt, overlay } = restored;
  const call = { ...restored.call, warnings: [...restored.call.warnings, DIED] };
  const { adapter, files } = call.request;
  const fromFiles = await outcomeOf({ ended: null }, attempt.files, adapter, call.request.limits.maxOutputBytes);
  const ending = fromFiles.ending === 'lost' && ended.processes > 0 ? ended.how : fromFiles.ending;
  const outcome: Outcome = { ...fromFiles, ending, orphansKilled: ended.processes };
  const record = recorded(call, outcome);
  if (isTaken(files, record, outcome.capture.answer)) {
    if (said(attempt)) return { how: 'kept', place: folder, why: `${files.out} or a file beside it is another call's` };
    removePrivateFolder('attempt', folder);
    return { how: 'nothing' };
  }
  const logged = await logApiFailure({ call, attempt, outcome, record, runId: null, again: 'perhaps_again' });
  const { published } = publishAll(call, attempt, logged, outcome);
  if (published.how === 'unpublished') return { how: 'failed', place: folder, why: published.why };
  closeAttempt(attempt, overlay, call, published);
  outcome.streams?.close();
  return { how: 'settled', place: files.out, why: record.verdict.class ?? 'an answer that counts' };
}

/**
 * The files from before the call were removed when it began. A file that is there now is the call's own, or came later. Only its
 * streams, which are written first, may be its own unfinished result.
 */
function isTaken(files: WrapperRequest['files'], { call_id, session_id }: CallRecord, answer: string): boolean {
  const { out, result, sessionIdOut, doneMarker } = files;
  const isThere = (file: string | null): file is string => file !== null && existsSync(file);
  // A file that cannot be read is not ours.
  if (isThere(result)) return readIfFit(result)?.includes(`"call_id": "${call_id}"`) !== true;
  if (isThere(out)) return readIfFit(out, MAX_ANSWER_BYTES) !== answer;
  if (isThere(sessionIdOut)) return readIfFit(sessionIdOut) !== `${session_id}\n`;
  return isThere(doneMarker);
}

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

const said = ({ files }: Attempt): boolean =>
  [files.stdout, files.stderr].some((file) => (lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);

/**
 * @returns null for a draft that is invalid, or belongs to another call. The answer must go beside its attempt; the other files
 * go to absolute paths.
 */
function savedIn({ draft, call_id, temporary, attempt }: RegisterEntry): Saved | null {
  const isOwn =
    isSaved(draft) &&
    draft.call_id === call_id &&
    draft.temporary === temporary &&
    path.dirname(draft.files.out) === path.dirname(attempt);
  return isOwn ? draft : null;
}

/**
 * Removes the temporary files of the dead wrapper. Those of a sweep that was killed itself remain.
 * @param pid the pid of the wrapper.
 */
function removeHalves({ prompt: _, out, ...files }: WrapperRequest['files'], pid: number): void {
  for (const file of [out, rawOf(out), ...Object.values(files)]) if (file !== null) removeBeside(file, pid);
}

function removeBeside(file: string, pid: number): void {
  const folder = path.dirname(file);
  const prefix = temporaryPrefix(file, pid);
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || !/^\d+$/.test(name.slice(prefix.length))) continue;
      const half = path.join(folder, name);
      const found = lstatSync(half);
      if (found.isFile() && found.uid === process.getuid?.()) unlinkSync(half);
    }
  } catch (error) {
    // A temporary file that cannot be removed does no harm.
    if (!isSystemError(error)) throw error;
  }
}
