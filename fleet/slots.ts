// Lets each paid call of a task wait until the shared ledger grants it; without the database no call begins.

import { launcherIn } from '../loops/launcher.ts';
import type { CallSlot, SlotRequest, Slots } from '../loops/task/run-context.ts';
import { forUser, type NextAction, toDecide, toType } from '../policies/facts/next-action.ts';
import { shellWord } from '../policies/text/display.ts';
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
  environment: NodeJS.ProcessEnv;
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
        if (outcome === 'budget') return await usedUp(detail ?? '', given);
        if (waitMs > LONGEST_WAIT_MS) {
          const message = `${what} is held for the whole fleet (${detail}); nothing was started`;
          const actions = heldActions(request, until, given);
          return { how: 'paused', class: 'quota', until, message, limit: { reason: 'held', actions } };
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

type Given = Pick<SlotsOfTask, 'database' | 'folder' | 'environment'>;

/** @param detail which of the three budgets, as the ledger names it; the task's own is raised in its folder. */
async function usedUp(detail: string, { database, folder, environment }: Given): Promise<CallSlot> {
  const message = `a budget of the fleet is used up: ${detail}; nothing was started`;
  const refused = { how: 'paused', class: 'quota', until: null, message } as const;
  const shared = /^(?:the day \(UTC\)|the pool (.+)) has used its \d+ calls$/.exec(detail);
  if (shared === null) return { ...refused, limit: { reason: 'budget', actions: null } };
  const [, pool] = shared;
  const launcher = launcherIn(environment);
  const most = (await usedOf(database, pool === undefined ? 'day' : `pool:${pool}`)) + MORE_CALLS;
  const send = (text: string) => toType(text, `${launcher} submit ${folder.id}`, 'pays');
  const raise = (flag: string) => forUser('budget', toType('raise that budget', `${launcher} fleet limits ${flag}`));
  const actions =
    pool === undefined
      ? [send('when the day (UTC) is over, send it again'), raise(`--day ${most}`)]
      : [
          toDecide('the fleet may pay for more calls: the budget of its pool is used up'),
          raise(`--pool-calls ${shellWord(`${pool}=${most}`)}`),
          send('then send it again'),
        ];
  return { ...refused, limit: { reason: 'own_limit', actions } };
}

/** A limit that was lowered may be far below. */
async function usedOf(database: Database, scope: string): Promise<number> {
  const ask = database.query<{ used: number }>('SELECT used FROM tollgate.budgets WHERE scope = $1', [scope]);
  const [row] = await ask.catch((error: unknown) => {
    if (error instanceof DatabaseAway) return [];
    throw error;
  });
  return row?.used ?? 0;
}

/** What the advice adds to a budget that is used up. */
const MORE_CALLS = 5;

function heldActions(
  { tool, account }: SlotRequest,
  until: string | null,
  { folder, environment }: Given,
): NextAction[] {
  const launcher = launcherIn(environment);
  const held = account === undefined ? tool : `${tool}@${account}`;
  return [
    toType(`${until === null ? '' : `not before ${until}, `}send it again`, `${launcher} submit ${folder.id}`, 'pays'),
    toType('show the limits and holds of all workers', `${launcher} fleet limits`),
    toType('or, if the service accepts calls again, end the hold', `${launcher} fleet limits --lift-hold ${held}`),
  ];
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
