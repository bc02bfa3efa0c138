// Admits a call by the limits over all tasks: charges and syncs before anything is paid, and settles when it is over.

import { setTimeout as pause } from 'node:timers/promises';
import type { PassedLimit } from '../../policies/facts/evidence.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { accountOf } from '../../policies/limits/account.ts';
import { admit, nearRows } from '../../policies/limits/admit.ts';
import { budgetsUsed, reached } from '../../policies/limits/budget-use.ts';
import { asOf, counting, isAhead, type LimitsLedger, noted, type OpenCall } from '../../policies/limits/ledger.ts';
import type { LimitsInForce } from '../../policies/limits/limits.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { readLimitsLedger, writeLimitsLedger } from '../../state/limits/limits-files.ts';
import { type LimitsFiles, limitsFiles } from '../../state/limits/limits-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { heldUp, isHeld } from './holds.ts';
import { limitsInForce } from './in-force.ts';
import { HOLDS_LOCK_MS, locked, takeTurn } from './ledger-lock.ts';
import { isNested, type LimitedCall, projectOf, SHORT_WAIT_MS } from './limited-call.ts';
import { settleDeadCalls } from './settle-dead-calls.ts';

export type Admission =
  /** `near`: the warnings. `left`: what this call may use of the strictest limit. */
  | { how: 'admitted'; near: string[]; waited: boolean; left: Left }
  | {
      how: 'refused';
      reason: 'own_limit' | 'held' | 'bad_state' | 'state_unwritable';
      message: string;
      retryAt: Date | null;
      limit?: PassedLimit | undefined;
    }
  | { how: 'stopped' };

/** null: any number. */
interface Left {
  tokens: number | null;
  usd: number | null;
}

interface Asking {
  call: LimitedCall;
  clock: () => Date;
  stop: AbortSignal;
  /** Reports what the call waits for, whenever that changes. */
  say(sentence: string): void;
}

/** Charges nothing if it refuses. Nothing is paid if a limit cannot be read, or the usage cannot be written. */
export async function askLimits(asking: Asking): Promise<Admission> {
  try {
    return await ask(asking);
  } catch (error) {
    if (error instanceof StrangeStateError)
      return { how: 'refused', reason: 'bad_state', message: error.message, retryAt: null };
    if (!isSystemError(error)) throw error;
    const message = `what is used of your limits cannot be written (${error.message}); nothing was started. Make its folder writable, with space on its disk`;
    return { how: 'refused', reason: 'state_unwritable', message, retryAt: null };
  }
}

async function ask(asking: Asking): Promise<Admission> {
  const { call, clock, stop } = asking;
  const files = limitsFiles(call.environment);
  const inForce = await limitsInForce(files, projectOf(call));
  if (files === null) return inForce.length === 0 ? FREE : HOMELESS;
  const self = (await identify(process.pid))!;
  if (inForce.length === 0) return byHoldsAlone(asking, { files, inForce, self });
  const line = { folder: files.folder, name: `line-${call.tool}`, self, foreignMs: FOREIGN_MS, clock, stop };
  const turn = inForce.some(hasPace) && standsInLine(call, files) ? await takeTurn(line) : null;
  if (turn?.how === 'stopped') return turn;
  try {
    // The callers behind it in the queue may use another account, so it waits only for a short time.
    const inLine = turn === null ? call : { ...call, rateWaitMs: SHORT_WAIT_MS };
    return await untilAdmitted({ ...asking, call: inLine }, { files, inForce, self });
  } finally {
    turn?.release();
  }
}

/** Holds protect no budget: if they cannot be read, they refuse no call. */
async function byHoldsAlone(asking: Asking, standing: Standing): Promise<Admission> {
  const { call, clock, stop } = asking;
  if (!isHeld(call, standing.files, clock().getTime())) return FREE;
  try {
    const admission = await untilAdmitted(asking, standing);
    // Another process holds the lock and does not continue.
    return admission.how === 'stopped' && !stop.aborted ? FREE : admission;
  } catch (error) {
    if (error instanceof StrangeStateError || isSystemError(error)) return FREE;
    throw error;
  }
}

const FREE = {
  how: 'admitted',
  near: [] as string[],
  waited: false,
  left: { tokens: null, usd: null },
} as const satisfies Admission;

/**
 * Returns whether the call must queue. The first one in the queue may wait for this very call, whose run has queued for it
 * already. Or it may wait for the call that makes this nested one.
 */
const standsInLine = (call: LimitedCall, files: LimitsFiles): boolean =>
  !isNested(call) && readLimitsLedger(files).open.every(({ call_id }) => call_id !== call.callId);

/** A queued process that cannot be looked up from here counts for this time. */
const FOREIGN_MS = 600_000;

const HOMELESS: Admission = {
  how: 'refused',
  reason: 'state_unwritable',
  message:
    'tollgate.yaml has limits, and what is used of them is kept in the home of the user, who has none; nothing was started. Set HOME or XDG_STATE_HOME',
  retryAt: null,
};

const hasPace = ({ limits: { at_once, per_minute } }: LimitsInForce): boolean =>
  Object.keys(at_once).length + Object.keys(per_minute).length > 0;

interface Standing {
  files: LimitsFiles;
  inForce: readonly LimitsInForce[];
  self: ProcessIdentity;
}

type Tried = Admission | { how: 'wait'; why: string; untilMs: number | null };

/** The time between two checks whether a killed call is over. A call that ends by itself changes the file. */
const LOOK_MS = 500;

async function untilAdmitted({ call, clock, stop, say }: Asking, standing: Standing): Promise<Admission> {
  const { files, self } = standing;
  let lastReason = '';
  for (let waited = false; ; waited = true) {
    const tried = await locked<Tried>({ files, self, clock, stop: lockStop(standing, stop) }, () =>
      tryOnce(call, standing, clock),
    );
    if (tried === null) return { how: 'stopped' };
    if (tried.how === 'admitted') return { ...tried, waited };
    if (tried.how !== 'wait') return tried;
    // A wait that ends at a known time does not need another call to end.
    if (isNested(call) && tried.untilMs === null) return refusedNested(tried);
    if (tried.why !== lastReason) say(`waits ${tried.why}`);
    lastReason = tried.why;
    const leftMs = tried.untilMs === null ? LOOK_MS : Math.max(1, tried.untilMs - clock().getTime());
    // Watches the file if a call has to end first; otherwise waits by the clock, which may be set meanwhile.
    if (tried.untilMs === null) await waitForChange(files.ledger, leftMs, stop);
    else await pause(Math.min(leftMs, Math.max(LOOK_MS, leftMs / 100)), undefined, { signal: stop }).catch(() => {});
  }
}

const lockStop = ({ inForce }: Standing, stop: AbortSignal): AbortSignal =>
  inForce.length === 0 ? AbortSignal.any([stop, AbortSignal.timeout(HOLDS_LOCK_MS)]) : stop;

const refusedNested = ({ why, limit }: { why: string; limit?: PassedLimit | undefined }): Admission => ({
  how: 'refused',
  reason: 'own_limit',
  message: `it would have to wait ${why}; a call that an agent makes from within a call does not wait, since its own caller may be what it waits for. Nothing was started`,
  retryAt: null,
  limit,
});

async function tryOnce(call: LimitedCall, { files, inForce, self }: Standing, clock: () => Date): Promise<Tried> {
  const now = clock().getTime();
  const held = await heldUp(call, files, self, clock);
  if (held.how === 'wait') return held;
  if (held.how === 'refused') {
    const message = `${held.why}; nothing was started`;
    return { how: 'refused', reason: 'held', message, retryAt: held.retryAt };
  }
  if (inForce.length === 0) return FREE;
  const kept = readLimitsLedger(files);
  const earlier = asOf(kept, now);
  if (isAhead(kept, now)) writeLimitsLedger(files, earlier);
  const found = await settleDeadCalls(earlier, self, call.environment, now);
  const ledger = noted(found, nearByDead(inForce, { earlier, found }, clock()));
  const openCall: OpenCall = {
    call_id: call.callId,
    tool: call.tool,
    account: accountOf(call.tool, call.environment),
    project: projectOf(call),
    task: call.task?.root ?? null,
    at: now,
    owner: self,
  };
  // The run that makes this call has already queued for it.
  const before = ledger.open.find(({ call_id }) => call_id === call.callId);
  if (before !== undefined) {
    writeLimitsLedger(files, ownedBy(ledger, call.callId, self));
    return { ...FREE, left: leftFor(call, inForce, ledger, now) };
  }
  const counted = counting(
    ledger,
    inForce.map(({ project }) => project),
    now,
  );
  const admitted = admit(inForce, counted, openCall);
  if (admitted.how === 'wait') return admitted;
  if (admitted.how === 'refused') {
    const message = `a limit over all tasks is ${admitted.why}; nothing was started. The limit is set in ${admitted.file}; tollgate budget shows all of them`;
    return { how: 'refused', reason: 'own_limit', message, retryAt: admitted.retryAt, limit: admitted.limit };
  }
  writeLimitsLedger(files, admitted.ledger);
  return { ...FREE, near: admitted.near, left: leftFor(call, inForce, admitted.ledger, now) };
}

/** Calls that run at the same time share it, and may together use more. */
function leftFor({ tool }: LimitedCall, inForce: readonly LimitsInForce[], ledger: LimitsLedger, now: number): Left {
  const rows = budgetsUsed(inForce, ledger, new Date(now), tool);
  const least = (unit: 'tokens' | 'usd') => {
    const left = rows.filter((row) => row.unit === unit).map(({ most, used }) => Math.max(0, most - used));
    return left.length === 0 ? null : Math.min(...left);
  };
  return { tokens: least('tokens'), usd: least('usd') };
}

/** The usage of calls whose process died may bring a limit near; no process has reported that yet. */
function nearByDead(
  inForce: readonly LimitsInForce[],
  { earlier, found }: { earlier: LimitsLedger; found: LimitsLedger },
  now: Date,
) {
  if (found.spent === earlier.spent) return [];
  return nearRows(reached(budgetsUsed(inForce, earlier, now), budgetsUsed(inForce, found, now)), 'found later', now);
}

const ownedBy = (ledger: LimitsLedger, callId: string, owner: ProcessIdentity): LimitsLedger => ({
  ...ledger,
  open: ledger.open.map((one) => (one.call_id === callId ? { ...one, owner } : one)),
});
