// Sweeps one call of the register: its processes, its folders, and the answer of a killed standalone call.

import { existsSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { rawOf } from '../../policies/facts/file-names.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { RegisterEntry } from '../../state/calls/call-register.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import { temporaryPrefix } from '../../state/disk/replace-file.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { isAtWork } from '../../wrappers/adopt.ts';
import { signallingUnread } from '../../wrappers/following/cut.ts';
import { endTree, membersOf } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { type Attempt, lookAtFolder, removePrivateFolder, strangeFileIn } from '../attempt/attempt.ts';
import { closeAttempt } from '../attempt/close-attempt.ts';
import { pastMs } from '../attempt/deadline.ts';
import { GUARDIAN_TIMEOUTS } from '../attempt/phases.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { containerIn, isSaved, restoreSaved } from '../attempt/restored-draft.ts';
import type { Saved } from '../attempt/saved-draft.ts';
import { heldToSchema } from '../call/answer-schema.ts';
import { logApiFailure } from '../call/api-failure.ts';
import { DIED, outcomeOf, recorded, wasStarted } from '../call/close-orphaned-call.ts';
import { publishAll } from '../call/publish.ts';
import { keepSettled } from '../session/call-session.ts';
import { lateGuardian, type Sweeping, type Swept } from './swept.ts';

/** `left_to_its_task`: the sweep of that task has reported it. */
type SweptCall = Swept | 'alive' | 'left_to_its_task' | 'nothing_left';

export async function sweepCall(entry: RegisterEntry, sweeping: Sweeping): Promise<SweptCall> {
  const { guardian, cli, marker, attempt, temporary, call_id, deadline_at, task } = entry;
  const self = (await identify(process.pid))!;
  const life = await isAlive(guardian, self);
  const past = pastMs(deadline_at, { guardian, ...startIn(entry) }, self, sweeping.clock);
  if (life === 'alive') {
    const { lateMs } = sweeping.patience ?? GUARDIAN_TIMEOUTS;
    // The sweep of its task reports an open call.
    if (past <= lateMs || (task !== null && (await isOpen(task, call_id, sweeping)))) return 'alive';
    return of(entry, 'failed', ...lateGuardian(`the call ${call_id}`, guardian.pid));
  }
  if (task !== null && (life === 'unknown' || (await isOpen(task, call_id, sweeping)))) return 'left_to_its_task';
  const what = `the call ${call_id}`;
  if (life === 'unknown')
    return of(
      entry,
      'elsewhere',
      `${what} may be at work on ${guardian.host} (or in another container), and was not touched`,
    );
  const container = containerIn(savedIn(entry), call_id);
  const tree = await foundTree({ marker, root: cli, guardian, folders: [attempt, temporary], container });
  const count = (await membersOf(tree)).length;
  const isDue = past >= 0;
  if (!isDue && sweeping.working === 'wait' && (await isAtWork(tree, path.join(attempt, 'stdout'))))
    return of(
      entry,
      'working',
      `${what} lost its guardian and still works, until ${deadline_at}`,
      'leave it to its deadline, or end it with tollgate preflight --sweep --now',
    );
  const end = count > 0 || container !== null ? await endTree(tree, undefined, () => signallingIn(attempt)) : null;
  if (end !== null && (end.container !== undefined || (await membersOf(tree)).length > 0))
    return of(
      entry,
      'failed',
      `${what} has processes that could not be ended${end.container === undefined ? '' : `: ${end.container}`}`,
      'end them, and sweep again',
    );
  const closed =
    task === null
      ? await closeAlone(entry, { how: isDue ? 'timed_out' : 'cancelled', processes: count }, sweeping)
      : null;
  const wasThere = [
    removePrivateFolder('temporary', entry.temporary),
    ...entry.overlay_folders.map((folder) => removePrivateFolder('overlay', folder)),
  ].includes(true);
  const gone = count === 0 ? '' : `, after ${count} ${count === 1 ? 'process was' : 'processes were'} ended`;
  if (closed !== null && closed.how !== 'nothing')
    return of(entry, closed.how, tell(what, closed, gone), fixOf(closed));
  if (closed === null && !wasThere && count === 0) return 'nothing_left';
  return of(entry, 'removed', `${what} has no results to classify, and its folders were removed${gone}`);
}

/** The attempt of a task's call is in the task's folder, and its run has settled it. */
function signallingIn(attempt: string): void {
  if (lookAtFolder('attempt', attempt) === 'ours') signallingUnread({ stdout: path.join(attempt, 'stdout') });
}

/** An invalid draft gives no start time. */
function startIn({ draft }: RegisterEntry) {
  const { started_at, clocks } = (draft ?? {}) as Partial<Saved>;
  return { startedAt: new Date(String(started_at)), clocks: clocks ?? null };
}

const tell = (what: string, closed: Exclude<Closed, { how: 'nothing' }>, gone: string): string =>
  ({
    settled: `${what} was judged and published beside ${closed.place}: ${closed.why}${gone}`,
    kept: `${what} was killed, and ${closed.why}; what it had said is kept in ${closed.place}${gone}`,
    failed: `${what} could not be settled: ${closed.why}${gone}`,
  })[closed.how];

const fixOf = ({ how, place }: Exclude<Closed, { how: 'nothing' }>): string | null =>
  ({
    settled: null,
    kept: `take what you need from ${place}, and remove it`,
    failed: `fix it, and sweep again; or look at ${place}, and remove it`,
  })[how];

/** Returns whether its task has not settled the call (yet), or cannot be read. Then this sweep must not remove its files. */
async function isOpen(task: string, callId: string, { clock }: Sweeping): Promise<boolean> {
  if (!existsSync(task)) return false;
  try {
    const { ledger } = openJournal(task, clock).read();
    const call = ledger.calls.get(callId);
    return call?.granted === true && call.verdict === null;
  } catch (error) {
    if (error instanceof JournalError) return true;
    throw error;
  }
}

const of = (
  { call_id, task, attempt }: RegisterEntry,
  how: Swept['how'],
  told: string,
  fix: string | null = null,
): Swept => ({ what: 'call', how, call_id, task, place: attempt, told, fix });

type Closed = { how: 'nothing' } | { how: 'settled' | 'kept' | 'failed'; place: string; why: string };

/**
 * Closes a standalone call whose guardian was killed. Its answer was paid for: it is classified and published as its wrapper would
 * have done, or kept where it is; it is never removed.
 */
async function closeAlone(
  entry: RegisterEntry,
  ended: { how: 'timed_out' | 'cancelled'; processes: number },
  { environment, clock }: Sweeping,
): Promise<Closed> {
  const { attempt: folder } = entry;
  const saved = savedIn(entry);
  if (saved !== null) removeHalves(saved.files, entry.guardian.pid);
  if (lookAtFolder('attempt', folder) === 'absent') return { how: 'nothing' };
  if (saved === null) return { how: 'failed', place: folder, why: 'the register does not record how it was called' };
  const linked = strangeFileIn(folder);
  if (linked !== null) return { how: 'failed', place: folder, why: `its ${linked} is not a regular file` };
  const restored = restoreSaved(saved, folder, null, environment, clock);
  if (restored === null || !wasStarted(restored.attempt, entry.cli !== null)) {
    removePrivateFolder('attempt', folder);
    return { how: 'nothing' };
  }
  const { attempt, overlay } = restored;
  const call = { ...restored.call, warnings: [...restored.call.warnings, DIED] };
  const { adapter, files } = call.request;
  const fromFiles = await outcomeOf(null, attempt.files, adapter, call.request.limits.maxOutputBytes);
  const ending = fromFiles.ending === 'lost' && ended.processes > 0 ? ended.how : fromFiles.ending;
  const outcome = await heldToSchema(call, { ...fromFiles, ending, orphansKilled: ended.processes });
  const record = recorded(call, outcome);
  if (isTaken(files, record, outcome.capture.answer)) {
    if (said(attempt)) return { how: 'kept', place: folder, why: `${files.out} or a file beside it is another call's` };
    removePrivateFolder('attempt', folder);
    return { how: 'nothing' };
  }
  const logged = await logApiFailure({ call, attempt, outcome, record, runId: null, again: 'perhaps_again' });
  const { published } = publishAll(call, attempt, logged, outcome);
  if (published.how === 'failed') return { how: 'failed', place: folder, why: published.why };
  closeAttempt(attempt, overlay, call, published);
  outcome.streams?.close();
  const unkept = await keepSettled(call, record).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    return `its session was not kept under its name: ${error.message}`;
  });
  const why = record.verdict.class ?? 'an answer that counts';
  return { how: 'settled', place: files.out, why: unkept === null ? why : `${why}; ${unkept}` };
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

/** @returns null for an invalid draft, or another call's. The answer is beside its attempt; other paths absolute. */
function savedIn({ draft, call_id, temporary, attempt }: RegisterEntry): Saved | null {
  const isOwn =
    isSaved(draft) &&
    draft.call_id === call_id &&
    draft.temporary === temporary &&
    path.dirname(draft.files.out) === path.dirname(attempt);
  return isOwn ? draft : null;
}

/** Removes temporary files of the dead wrapper, but not those of a killed sweep. @param pid of the wrapper. */
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
