// Defines one result of a sweep, reports results as findings, and checks whether there is something to sweep.

import { type CheckAnswer, type CheckFinding, say } from '../../policies/facts/finding.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { GuardianTimeouts } from '../attempt/phases.ts';

export interface Swept {
  what: 'call' | 'gate' | 'task' | 'folder' | 'record' | 'backup';
  /**
   * Done: `settled` (classified and published), `ended` (its processes), `removed` (nothing was to be kept).
   * Left unchanged on purpose: `working` (within its deadline), `elsewhere` (another host or container).
   * The user must act: `kept` (an answer whose place is taken), `failed`.
   */
  how: 'settled' | 'ended' | 'removed' | 'working' | 'elsewhere' | 'unseen' | 'kept' | 'failed';
  call_id: string | null;
  /** The task's folder; null if it belongs to no task. */
  task: string | null;
  /** The folder or file concerned. */
  place: string;
  /** A sentence. */
  told: string;
  fix: string | null;
}

export interface Sweeping {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** What to do with processes that lost their guardian and still work: `wait` lets them work until their deadline. */
  working: 'wait' | 'end';
  clock: () => Date;
  /** The limits for a guardian that lives but does not work. */
  patience?: GuardianTimeouts;
  /** Sweeps only the calls of this guardian; by default all. */
  of?: ProcessIdentity;
}

/** Whether the calls of this guardian are swept. */
export const isOf = ({ of }: Sweeping, { pid, start_time }: ProcessIdentity): boolean =>
  of === undefined || (of.pid === pid && of.start_time === start_time);

/** Describes a guardian that may not be ours to end. */
export const lateGuardian = (what: string, pid: number): [told: string, fix: string] => [
  `${what} is long past its deadline, and its guardian is the process ${pid}`,
  `see what it is (ps -p ${pid}), wake it (kill -CONT ${pid}) or end it (kill -KILL ${pid}), and sweep again`,
];

/** Whether the user has to act. */
export const isUnswept = ({ how }: Swept): boolean => how === 'kept' || how === 'failed';

/** One finding for each result, in the same order. */
export const findingsOf = (swept: readonly Swept[]): CheckFinding[] =>
  swept.map(({ what, how, told, fix }) => ({ check: `${what} ${how}`, status: STATUS[how], found: told, fix }));

const STATUS = {
  settled: 'ok',
  ended: 'ok',
  removed: 'ok',
  working: 'note',
  elsewhere: 'note',
  unseen: 'note',
  kept: 'fail',
  failed: 'fail',
} as const satisfies Record<Swept['how'], CheckFinding['status']>;

/** One line at the end. */
export function summariseSwept(swept: readonly Swept[]): string {
  if (swept.length === 0) return 'Nothing to sweep: no killed run has left anything behind.';
  const unswept = swept.filter(isUnswept).length;
  const waiting = swept.filter(({ how }) => how === 'working' || how === 'elsewhere').length;
  const unseen = swept.filter(({ how }) => how === 'unseen').length;
  const counts = [
    `${swept.length - unswept - waiting - unseen} swept`,
    ...(waiting === 0 ? [] : [`${waiting} still at work`]),
    ...(unswept === 0 ? [] : [`${unswept} to be seen to`]),
  ];
  return `${counts.join(', ')}.`;
}

/**
 * Checks by the register whether there is something to sweep, and changes nothing.
 * @param depth `quick` starts no process. If only `ps` shows which processes live, the result is unknown then.
 */
export async function checkLeftovers(environment: NodeJS.ProcessEnv, depth: 'full' | 'quick'): Promise<CheckAnswer> {
  const folder = registerFolder(environment);
  if (folder === null || (depth === 'quick' && process.platform !== 'linux')) return null;
  try {
    return await look(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return say('warn', `the register of calls cannot be read: ${error.message}`, `look at ${folder}`);
  }
}

async function look(folder: string): Promise<CheckAnswer> {
  const self = (await identify(process.pid))!;
  let [dead, invalid] = [0, 0];
  for (const found of readEntries(folder)) {
    if (found.how === 'invalid') invalid += 1;
    else if ((await isAlive(found.entry.guardian, self)) === 'dead') dead += 1;
  }
  if (dead + invalid === 0) return null;
  const counts = [
    ...(dead === 0 ? [] : [`${dead} ${dead === 1 ? 'call was' : 'calls were'} cut off`]),
    ...(invalid === 0 ? [] : [`${invalid} in the register cannot be read`]),
  ];
  return say(
    'warn',
    `${counts.join(', and ')}; an answer may still be there, and a process may still run`,
    'tollgate preflight --sweep',
  );
}
