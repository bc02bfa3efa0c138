// Lets each paid call of a task wait until the shared ledger grants it; without the database no call begins.

import type { CallSlot, Slots } from '../loops/task/run-context.ts';
import type { TaskFolder } from '../state/task-folder.ts';
import type { Database } from './database.ts';
import { type HeldTask, reserveCall, settleCall } from './ledger.ts';
import { DatabaseAway } from './refusal.ts';

interface SlotsOfTask {
  database: Database;
  task: HeldTask;
  folder: TaskFolder;
  /** The file of the lease, for guardians. */
  lease: string;
  clock: () => Date;
  pause(ms: number, stop: AbortSignal): Promise<void>;
  say(sentence: string): void;
  /** The task is not ours any more, or its end was requested. */
  end(why: string): void;
}

/** The longest wait for a hold or a rate limit; the task reports a longer one. */
const LONGEST_WAIT_MS = 3_600_000;
/** The interval of questions while other calls use up the limit of calls at once, or the database is away. */
const ASK_MS = 500;

export function fleetSlots(given: SlotsOfTask): Slots {
  const { database, task, folder, lease, clock, pause, say, end } = given;
  const release = async (callId: string) => {
    try {
      await settleCall(database, folder, { call_id: callId, epoch: task.epoch }, clock, 'ended');
    } catch (error) {
      // The worker books it later, from the journal.
      if (!(error instanceof DatabaseAway)) throw error;
    }
  };
  return {
    take: async (request, stop): Promise<CallSlot> => {
      const { call } = request;
      if (call === undefined) throw new Error('a call of a fleet without its id');
      const what = `${request.tool}${request.account === undefined ? '' : ` (${request.account})`}`;
      for (let reported = ''; !stop.aborted; ) {
        const answer = await reserveCall(database, task, { ...request, call }).catch((error: unknown) => {
          if (error instanceof DatabaseAway) return { outcome: 'away', waitMs: 0, detail: error.message } as const;
          throw error;
        });
        const { outcome, waitMs, detail } = answer;
        if (outcome === 'reserved') return { how: 'taken', lease, release: () => release(call.id) };
        if (outcome === 'fenced' || outcome === 'cancelled' || outcome === 'duplicate') {
          end(ENDS[outcome]);
          return { how: 'stopped' };
        }
        const until = waitMs === 0 ? null : new Date(clock().getTime() + waitMs).toISOString();
        if (outcome === 'budget' || waitMs > LONGEST_WAIT_MS) {
          const why =
            outcome === 'budget' ? `a budget of the fleet is used up: ${detail}` : `${what} is held (${detail})`;
          return { how: 'paused', class: 'quota', until, message: `${why}; nothing was started` };
        }
        const sentence = waitFor(outcome, what, detail);
        if (sentence !== reported) say(sentence);
        reported = sentence;
        await pause(waitMs === 0 ? ASK_MS : Math.ceil(waitMs), stop);
      }
      return { how: 'stopped' };
    },
  };
}

const ENDS = {
  fenced: 'its lease: another worker may have the task',
  cancelled: 'tollgate fleet cancel',
  duplicate: 'a reservation that another run of this task has made',
};

function waitFor(outcome: 'away' | 'held' | 'at_once' | 'per_minute', what: string, detail: string | null): string {
  if (outcome === 'away') return `waiting: ${detail}; no new call begins`;
  if (outcome === 'held') return `waiting: ${what} is held for the whole fleet (${detail})`;
  return outcome === 'at_once'
    ? `waiting: as many calls of ${what} as the fleet allows at once`
    : `waiting: as many calls of ${what} as the fleet allows in a minute`;
}
