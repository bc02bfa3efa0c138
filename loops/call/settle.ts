// Settles the calls of an earlier run: waits for a living guardian, closes the call of a dead one, redacts remaining raw files.

import { setMaxListeners } from 'node:events';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { type Call, type Ledger, openCalls } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { MARKERS } from '../../wrappers/processes/marker.ts';
import { attemptIn } from '../attempt/attempt.ts';
import { redactedOf } from '../attempt/captured.ts';
import { removeRaw } from '../attempt/close-attempt.ts';
import { isLate } from '../attempt/deadline.ts';
import { GUARDIAN_TIMEOUTS, type GuardianTimeouts } from '../attempt/phases.ts';
import { copyRedacted } from '../attempt/redacted-copy.ts';
import type { SentTerms } from '../attempt/request.ts';
import { savedRedactor } from '../attempt/restored-draft.ts';
import { closeOrphanedCall } from './close-orphaned-call.ts';
import { endLate, isGoneWithin } from './late-guardian.ts';

interface Settling {
  task: TaskFolder;
  journal: Journal;
  clock: () => Date;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
  /** How to treat a call whose guardian is where it cannot be looked up. */
  foreign: 'refuse' | 'close';
  /** The terms that we sent ourselves. The call must keep to them. */
  sent?: SentTerms;
  /** Receives a sentence about what we wait for. */
  say(sentence: string): void;
  /** The timeouts for a guardian that lives but does not work. */
  patience?: GuardianTimeouts;
}

type SettledCall = { how: 'settled' } | { how: 'refused'; message: string } | { how: 'stopped' };

/** The interval of checks; the death of a process raises no event that could be awaited. */
const LOOK_MS = 100;
const FOREIGN_GRACE_MS = 3_600_000;

/** Settles earlier runs' open calls in parallel, within their own limits. @returns why it cannot from here, or null. */
export async function settleLeftovers(settling: Settling): Promise<string | null> {
  const { ledger } = settling.journal.read();
  const open = openCalls(ledger);
  // Each open call has one listener, as long as it is open. Node must not warn about their number.
  setMaxListeners(0, settling.stop);
  const ends = await Promise.allSettled(open.map((call) => settle(call, settling)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  for (const end of ends) if (end.status === 'fulfilled' && end.value.how === 'refused') return end.value.message;
  const self = (await identify(process.pid))!;
  const over = [...ledger.calls.values()].filter(({ verdict }) => verdict !== null);
  await Promise.all(over.map((call) => untilLeft(call, self, settling)));
  return null;
}

/**
 * Settles one open call: waits for a live guardian, ends a late one, and closes the call of a dead one. `foreign`: its guardian
 * cannot be looked up from here, and `message` says what to do. Throws the errors of the operating system.
 */
export async function settle(open: Call, settling: Settling): Promise<SettledCall> {
  const { task, journal, clock, stop, foreign, say, patience = GUARDIAN_TIMEOUTS } = settling;
  const { call_id, stage, tool, guardian, deadline_at } = open.reserved;
  const attempt = path.join(task.attempts, call_id);
  const self = (await identify(process.pid))!;
  const isOver = () => stop.aborted || journal.read().ledger.calls.get(call_id)?.verdict != null;
  let woken = false;
  for (let isReported = false; ; isReported = true) {
    const present = journal.read().ledger.calls.get(call_id) ?? open;
    if (present.verdict !== null) {
      await untilLeft(present, self, settling);
      return { how: 'settled' };
    }
    if (stop.aborted) {
      if (isReported)
        say(
          `stage ${stage}: the call ${call_id} continues under its guardian (pid ${guardian.pid}); the next run takes its answer`,
        );
      return { how: 'stopped' };
    }
    const original = foreign === 'refuse' ? originalOf(present, attempt) : null;
    if (original !== null) return { how: 'refused', message: copyMessage(stage, call_id, original) };
    const life = await isAlive(guardian, self);
    const overdue = clock().getTime() > Date.parse(deadline_at) + FOREIGN_GRACE_MS;
    if (await isWithin(present, settling)) return { how: 'refused', message: withinMessage(stage) };
    if (life === 'dead' || (life === 'unknown' && (overdue || foreign === 'close'))) {
      await closeOrphanedCall(present, settling);
      return { how: 'settled' };
    }
    if (life === 'unknown') return { how: 'refused', message: foreignMessage(stage, guardian.host, deadline_at) };
    if (!woken && isLate(present, attempt, self, clock, patience.lateMs)) {
      woken = true;
      say(lateMessage(stage, call_id, guardian.pid));
      const end = await endLate({ guardian, tool, attempt, known: 'by_its_words', isOver }, patience);
      if (end === 'over' || end === 'gone') continue;
      // A wrapper that continues would overwrite later results.
      if (end === 'stays' || foreign === 'refuse')
        return { how: 'refused', message: stuckMessage(stage, guardian.pid, end) };
      await closeOrphanedCall(present, settling);
      return { how: 'settled' };
    }
    if (!isReported)
      say(`stage ${stage}: waiting for the call ${call_id} that an earlier run started (until ${deadline_at})`);
    await waitForChange(journal.file, LOOK_MS, stop);
  }
}

/**
 * Redacts raw files that remained when the call of a killed wrapper was closed without its secrets, or by an earlier version. Handles
 * calls that have a verdict. Files that cannot be redacted from here stay, and so do files that are to be kept.
 */
export function redactRemainingRaw({ attempts }: TaskFolder, { calls }: Ledger, environment: NodeJS.ProcessEnv): void {
  for (const callId of namesIfAny(attempts)) {
    const { folder, files } = attemptIn(path.join(attempts, callId), '');
    const raw = [files.stdout, files.stderr].filter(isRegular);
    const call = calls.get(callId);
    if (raw.length === 0 || !call?.verdict) continue;
    const saved = savedRedactor(folder, call, environment);
    if (saved === null || saved.withheld !== null || saved.keepsRaw) continue;
    try {
      for (const file of raw) copyRedacted(file, redactedOf(file), saved.redactor, 'synced');
      removeRaw(files, saved.redactor);
    } catch {
      // The disk is full, or an agent still works there. The next run tries again.
    }
  }
}

/** Returns the task folder from which this one was copied while the call ran, or null. The call's answer is written there. */
function originalOf({ reserved }: Call, attempt: string): string | null {
  const first = reserved.terms?.folder;
  if (first === undefined) return null;
  const [there, here] = [first, attempt].map((folder) => statSync(folder, { throwIfNoEntry: false }));
  if (there === undefined || (there.ino === here?.ino && there.dev === here.dev)) return null;
  return path.resolve(first, '../../..');
}

/** Waits until the guardian has ended. After its verdict it still cleans up, and would outlive a short run. */
async function untilLeft(
  { reserved }: Call,
  self: ProcessIdentity,
  { stop, say, patience = GUARDIAN_TIMEOUTS }: Settling,
) {
  const { call_id, stage, guardian } = reserved;
  if ((await isAlive(guardian, self)) !== 'alive') return;
  if (!(await isGoneWithin(guardian, patience.leavingMs, stop)) && !stop.aborted)
    say(leavingMessage(stage, call_id, guardian.pid));
}

/** Returns whether that call's agent started us. Then we would wait for ourselves, whether its guardian lives or not. */
async function isWithin({ reserved, started }: Call, { environment }: Settling): Promise<boolean> {
  if (MARKERS.some((marker) => environment[marker]?.split('/').includes(reserved.call_id))) return true;
  const above = await ancestorsOf(process.pid);
  return [reserved.guardian, started?.cli ?? null].some((one) => one !== null && isAmong(above, one));
}

const copyMessage = (stage: string, callId: string, original: string) =>
  `this task was copied from ${original} while the call ${callId} of stage ${stage} ran, and its answer lands there. Run the task there, or copy it again after that call; --force --redo ${stage} pays for it again here`;

const withinMessage = (stage: string) =>
  `this command was started from within the call of stage ${stage} of an earlier run, and would wait for itself; run another task from there`;

const lateMessage = (stage: string, callId: string, pid: number) =>
  `stage ${stage}: the call ${callId} is long past its deadline, and its guardian (pid ${pid}) has not ended it; it is woken, and ended itself if that does not help`;

const leavingMessage = (stage: string, callId: string, pid: number) =>
  `stage ${stage}: the call ${callId} is over, but its guardian (pid ${pid}) has not ended; tollgate no longer waits for it. See what it is (ps -p ${pid}); a stopped one continues after kill -CONT ${pid}`;

const stuckMessage = (stage: string, pid: number, end: 'stays' | 'stranger') =>
  `stage ${stage} has a call long past its deadline, and its guardian is the process ${pid}; ${
    end === 'stays'
      ? `it is a wrapper that was called by hand, or cannot be ended. Wake it (kill -CONT ${pid}) or end it (kill -KILL ${pid}), and run again`
      : `it is not a wrapper of tollgate. See what it is (ps -p ${pid}), and use --force if it has nothing to do with it`
  }`;

const foreignMessage = (stage: string, host: string, deadline: string) =>
  `stage ${stage} has a call running on ${host} (or in another container), which cannot be looked up from here; wait for it until ${deadline} and an hour, or use --force if it is gone`;
