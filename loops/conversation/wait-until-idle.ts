// Waits until nobody uses a session: no call of ours goes on in it, and nobody else seems to.

import { setTimeout as sleep } from 'node:timers/promises';
import { readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { lastEndedMs } from '../../state/calls/ended-calls.ts';
import { hashesOf, isSame, sight } from '../../state/compare-and-swap-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { Lookup, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { tryLockSession } from './try-lock-session.ts';

type Idleness =
  /** As it is now: it may have changed while it was waited for. No task gets its turn until `release`. */
  | { how: 'free'; session: SessionFile; release(): void }
  /** `by`: half a sentence. */
  | { how: 'used'; by: string }
  | { how: 'stopped' };

interface SessionQuestion {
  store: SessionStore;
  session: SessionFile;
  lookup: Lookup;
  clock: () => Date;
}

/** Waits where nothing but a fresh change speaks against it, or until `stop` aborts. @param say called once, before it waits. */
export async function waitUntilIdle(
  asked: SessionQuestion,
  say: (what: string) => void,
  stop: AbortSignal,
): Promise<Idleness> {
  const hold = await tryLockSession(asked.session, asked.lookup.environment, asked.clock);
  if (hold.how === 'used') return hold;
  const quiet = await whenQuiet(asked, say, stop);
  if (quiet === null || 'by' in quiet) hold.release();
  if (quiet === null) return { how: 'stopped' };
  return 'by' in quiet ? { how: 'used', ...quiet } : { how: 'free', ...quiet, release: hold.release };
}

async function whenQuiet(
  asked: SessionQuestion,
  say: (what: string) => void,
  stop: AbortSignal,
): Promise<{ session: SessionFile } | { by: string } | null> {
  const { store, session, lookup } = asked;
  const first = await userOf(asked);
  if (first === null) return { session };
  // Whoever holds its lock, or runs in its folder, will still do so then.
  const later = await userOf({ ...asked, clock: () => quietOf(asked) });
  if (later !== null) return { by: later };
  const seen = sight(session.file);
  say(`${session.tool} may still be at it: ${first}; waiting until it has been left alone for 30 s`);
  await sleep(restMs(asked), undefined, { signal: stop }).catch(() => {});
  if (stop.aborted) return null;
  const again = await store.find(session.id, lookup);
  if (again === null) return { by: 'its file is gone' };
  // By itself, and not by the time of day: a clock that was set back would tell of a change for ever.
  const by =
    seen === null || isSame(seen, sight(again.file))
      ? await userOf({ ...asked, session: again, clock: () => quietOf(asked) })
      : 'its file was changed meanwhile';
  return by === null ? { session: again } : { by };
}

/** When it will have been left alone for long enough; its time may lie ahead of a clock that was set back. */
const quietOf = ({ session, clock }: SessionQuestion): Date =>
  new Date(Math.ceil(Math.max(clock().getTime(), changedAtMs(session))) + QUIET_MS);

function restMs({ session, clock }: SessionQuestion): number {
  const agoMs = clock().getTime() - changedAtMs(session);
  return agoMs < 0 ? QUIET_MS : Math.max(0, QUIET_MS - agoMs);
}

/**
 * Half a sentence about who writes in it at this moment, or null: by our own records, and by the locks of a CLI that has any.
 * gemini has none, and another one in its folder may be at another session, unless it was started with this one.
 */
export async function writerOf({ store, session, lookup, clock }: SessionQuestion): Promise<string | null> {
  const ours = await callIn(session, lookup.environment);
  if (ours !== null) return ours;
  if (!store.takesLock) return store.namedBy?.(session, lookup) ?? null;
  return store.usedBy(session, lookup, quietOf({ store, session, lookup, clock }));
}

/** Half a sentence about who uses it now, or null. */
async function userOf(asked: SessionQuestion): Promise<string | null> {
  const { store, session, lookup, clock } = asked;
  const ours = await callIn(session, lookup.environment);
  if (ours !== null) return ours;
  const by = await store.usedBy(session, lookup, clock());
  if (by === null || !wasOurs(session, lookup.environment)) return by;
  // It was we who changed it last: its time tells nothing then.
  return store.usedBy(session, lookup, quietOf(asked));
}

/** After so long without a change a file is taken for one that nobody writes. */
const QUIET_MS = 30_000;

const changedAtMs = ({ file, changedAtMs }: SessionFile): number => sight(file)?.changedAtMs ?? changedAtMs;

/** A call of ours that lives, in the user's register. */
async function callIn({ tool, id }: SessionFile, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const folder = registerFolder(environment);
  if (folder === null) return null;
  const self = (await identify(process.pid))!;
  for (const found of entriesIn(folder)) {
    if (found.how !== 'read') continue;
    const { session, guardian, cli, call_id } = found.entry;
    if (session?.tool !== tool || session.id !== id) continue;
    for (const process_ of [guardian, cli])
      if (process_ !== null && (await isAlive(process_, self)) !== 'dead') return `the call ${call_id} goes on in it`;
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

/** Did nobody change it since a call of ours was over; or is it byte for byte what our last edit made of it? */
function wasOurs(session: SessionFile, environment: NodeJS.ProcessEnv): boolean {
  const endedMs = lastEndedMs(session, environment);
  if (endedMs !== null && changedAtMs(session) <= endedMs) return true;
  const ledger = editsLedger(session.tool, session.id, environment);
  const read = ledger === null ? null : readEdits(ledger);
  const last = read?.how === 'read' ? read.edits.findLast(({ state }) => state === 'made') : undefined;
  if (last === undefined || sight(session.file)?.bytes !== last.after.bytes) return false;
  return hashesOf(session.file, [last.after.bytes])[0] === last.after.sha256;
}
