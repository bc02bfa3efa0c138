// One thing that a sweep came upon, and what became of it.

import type { GuardianTimeouts } from '../call/guardian-timeouts.ts';

export interface Swept {
  what: 'call' | 'gate' | 'task' | 'folder' | 'record' | 'backup';
  /**
   * Done: `settled` (judged and published), `ended` (its processes), `removed` (nothing was to be kept).
   * Left as it is rightly: `working` (within its deadline), `elsewhere` (another host or container).
   * To be seen to: `kept` (an answer whose place is taken), `failed`.
   */
  how: 'settled' | 'ended' | 'removed' | 'working' | 'elsewhere' | 'unseen' | 'kept' | 'failed';
  call_id: string | null;
  /** The task's folder; null for what belongs to none. */
  task: string | null;
  /** What it is about: a folder, or a file. */
  place: string;
  /** In a sentence. */
  told: string;
  /** What to do; null where there is nothing to be done. */
  fix: string | null;
}

export interface Sweeping {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Of a tree that lost its guardian and still works: `wait` leaves it until its deadline. */
  working: 'wait' | 'end';
  clock: () => Date;
  /** With a guardian that lives and does not work. */
  patience?: GuardianTimeouts;
}

/** Of one that is not known to be ours to end. */
export const lateGuardian = (what: string, pid: number): [told: string, fix: string] => [
  `${what} is long past its deadline, and the process ${pid} stands for it`,
  `see what it is (ps -p ${pid}), wake it (kill -CONT ${pid}) or end it (kill -KILL ${pid}), and sweep again`,
];

/** Whether a person has to do something about it. */
export const isUnswept = ({ how }: Swept): boolean => how === 'kept' || how === 'failed';
