// Defines one result of a sweep.

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
  /** What to do; null if there is nothing to do. */
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
}

/** Describes a guardian that may not be ours to end. */
export const lateGuardian = (what: string, pid: number): [told: string, fix: string] => [
  `${what} is long past its deadline, and its guardian is the process ${pid}`,
  `see what it is (ps -p ${pid}), wake it (kill -CONT ${pid}) or end it (kill -KILL ${pid}), and sweep again`,
];

/** Whether the user has to act. */
export const isUnswept = ({ how }: Swept): boolean => how === 'kept' || how === 'failed';
