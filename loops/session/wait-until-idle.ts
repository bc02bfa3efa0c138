// Waits until a session is unused: no call of ours continues in it, and no other process seems to.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool } from '../../policies/facts/tools.ts';
import { lastEndedMs, readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { hashesOf, isSame, sight } from '../../state/compare-and-swap-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { Lookup, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { findSession, quietly } from './own-files.ts';
import { tryLockSession } from './session-turn.ts';

type Idleness =
  /** The session in its current state, which may have changed during the wait. No task gets its turn until `release`. */
  | { how: 'free'; session: SessionFile; release(): void }
  /** `by`: half a sentence. */
  | { how: 'refused'; by: string }
  | { how: 'stopped' };

interface SessionQuestion {
  store: SessionStore;
  session: SessionFile;
  lookup: Lookup;
  clock: () => Date;
}

/** Waits only if a recent change is the only sign of use, and until `stop` aborts. @param say called once, before. */
export async function waitUntilIdle(
  question: SessionQuestion,
  say: (what: string) => void,
  stop: AbortSignal,
): Promise<Idleness> {
  const hold = await tryLockSession(question.session, question.lookup.environment, question.clock);
  if (hold.how === 'refused') return hold;
  const quiet = await whenQuiet(question, say, stop);
  if (quiet === null || 'by' in quiet) hold.release();
  if (quiet === null) return { how: 'stopped' };
  return 'by' in quiet ? { how: 'refused', ...quiet } : { how: 'free', ...quiet, release: hold.release };
}

async function whenQuiet(
  question: SessionQuestion,
  say: (what: string) => void,
  stop: AbortSignal,
): Promise<{ session: SessionFile } | { by: string } | null> {
  const { store, session, lookup } = question;
  const first = await userOf(question);
  if (first === null) return { session };
  // A process that holds the lock, or runs in the session's folder, will still do so after the wait.
  const later = await userOf({ ...question, clock: () => quietOf(question) });
  if (later !== null) return { by: later };
  const seen = sight(session.file);
  say(`${session.tool} may still be at it: ${first}; waiting until it has been idle for 30 s`);
  await sleep(restMs(question), undefined, { signal: stop }).catch(() => {});
  if (stop.aborted) return null;
  const again = await store.find(session.id, lookup);
  if (again === null) return { by: 'its file is gone' };
  // Compares the file with its own earlier state and not with the time of day. With a clock that was set back, a change would
  // look recent for ever.
  const by =
    seen === null || isSame(seen, sight(again.file))
      ? await userOf({ ...question, session: again, clock: () => quietOf(question) })
      : 'its file was changed meanwhile';
  return by === null ? { session: again } : { by };
}

/** Returns the time from which the file counts as unused. Its mtime may be ahead of a clock that was set back. */
const quietOf = ({ session, clock }: SessionQuestion): Date =>
  new Date(Math.ceil(Math.max(clock().getTime(), changedAtMs(session))) + QUIET_MS);

function restMs({ session, clock }: SessionQuestion): number {
  const agoMs = clock().getTime() - changedAtMs(session);
  return agoMs < 0 ? QUIET_MS : Math.max(0, QUIET_MS - agoMs);
}

/**
 * Names the process that writes in the session now, in half a sentence, or null. Uses our own records, and the locks of a CLI
 * that has any. gemini has none, and another gemini in the folder may use another session, unless it was started with this one.
 */
export async function writerOf({ store, session, lookup, clock }: SessionQuestion): Promise<string | null> {
  const ours = await callIn(session, lookup.environment);
  if (ours !== null) return ours;
  if (!store.takesLock) return store.namedBy?.(session, lookup) ?? null;
  return store.usedBy(session, lookup, quietOf({ store, session, lookup, clock }));
}

/** The same for a session whose file may not be found. An error in its file names no process. */
export async function writerIn(tool: Tool, id: string, lookup: Lookup, clock: () => Date): Promise<string | null> {
  const session = await findSession(tool, id, lookup);
  if (session === null) return callIn({ tool, id }, lookup.environment);
  const store = await adapterOf(tool).sessions();
  return quietly(() => writerOf({ store, session, lookup, clock }));
}

/** Names the process that uses the session now, in half a sentence, or null. */
async function userOf(question: SessionQuestion): Promise<string | null> {
  const { store, session, lookup, clock } = question;
  const ours = await callIn(session, lookup.environment);
  if (ours !== null) return ours;
  const by = await store.usedBy(session, lookup, clock());
  if (by === null || !wasOurs(session, lookup.environment)) return by;
  // We made the last change ourselves, so its time says nothing.
  return store.usedBy(session, lookup, quietOf(question));
}

/** After this time without a change, a file counts as not being written. */
const QUIET_MS = 30_000;

const changedAtMs = ({ file, changedAtMs }: SessionFile): number => sight(file)?.changedAtMs ?? changedAtMs;

/** Finds a living call of ours in the user's register. */
async function callIn(
  { tool, id }: { tool: Tool; id: string },
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  const folder = registerFolder(environment);
  if (folder === null) return null;
  const self = (await identify(process.pid))!;
  for (const found of entriesIn(folder)) {
    if (found.how !== 'read') continue;
    const { session, guardian, cli, call_id } = found.entry;
    if (session?.tool !== tool || session.id !== id) continue;
    for (const process_ of [guardian, cli])
      if (process_ !== null && (await isAlive(process_, self)) !== 'dead') return `the call ${call_id} continues in it`;
  }
  return null;
}

function entriesIn(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

/** Returns whether the file is unchanged since a call of ours ended, or equals the result of our last edit byte for byte. */
function wasOurs(session: SessionFile, environment: NodeJS.ProcessEnv): boolean {
  const endedMs = lastEndedMs(session, environment);
  if (endedMs !== null && changedAtMs(session) <= endedMs) return true;
  const ledger = editsLedger(session.tool, session.id, environment);
  const read = ledger === null ? null : readEdits(ledger);
  const last = read?.how === 'read' ? read.edits.findLast(({ state }) => state === 'made') : undefined;
  if (last === undefined || sight(session.file)?.bytes !== last.after.bytes) return false;
  return hashesOf(session.file, [last.after.bytes])[0] === last.after.sha256;
}
