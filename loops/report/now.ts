// Defines what runs now, as one value (tasks, calls in progress, what each waits for), and stops a task.

import type { Tool } from '../../policies/facts/tools.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { TaskState } from './task-state.ts';

export interface RunsNow {
  schema: 1;
  /** The ISO time of this state. */
  at: string;
  /** The folder that holds the tasks. */
  folder: string;
  totals: Record<NowState, number> & { tasks: number };
  /** Running tasks first, the longest-running first; then the others, the latest first. */
  tasks: NowTask[];
}

/** `gone`: archived or deleted. */
type NowState = TaskState | 'unreadable' | 'gone';

export interface NowTask {
  task_id: string;
  folder: string;
  state: NowState;
  /** The ISO time since which it is in this state; null if nothing ever happened. */
  since: string | null;
  /** Calls in progress, oldest first. */
  running: NowCall[];
  waits: NowWait | null;
  /** The tokens of its calls, ended and in progress, as far as they are reported; null if none are, or they were not read. */
  tokens: number | null;
  calls: { used: number; budget: number | null };
  /** The stage, class and reason of the open failure; null if there is none. */
  stage: string | null;
  class: string | null;
  reason: string | null;
  /** Why it cannot be read; null if it can. */
  message: string | null;
}

export interface NowCall {
  call_id: string;
  stage: string;
  tool: Tool;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  /** The replacements that led to this tool, the first one first; empty if it uses the stage's own tool. */
  stand_ins: readonly StandIn[];
  attempt: number;
  /** The ISO time at which its CLI was started, or else the call was reserved. */
  since: string;
  /** The ISO time at which it is ended at the latest. */
  deadline_at: string;
  /** The last action of its CLI, in a few words; null if there is no output yet. */
  last: string | null;
  /** As far as its CLI has reported; most report it at the end. */
  tokens: number | null;
}

/** A turn in a queue, behind others; or a time: of a reset, or of a pause before a retry. */
export type NowWait =
  | { what: 'tree' | 'session'; behind: string[]; stage: string }
  | { what: 'time'; until: string; stage: string };

/** One change, with its time and its task. */
export type NowChange = { at: string; task_id: string; folder: string } & (
  | { change: 'began' | 'gone' }
  | { change: 'called' | 'said' | 'call_ended'; call: NowCall }
  | { change: 'waits'; waits: NowWait }
  | { change: 'ended'; state: NowState; stage: string | null; class: string | null; reason: string | null }
  | { change: 'unreadable'; message: string }
);

type StoppedTask =
  | { how: 'signalled'; what: 'run' | 'calls' }
  | { how: 'idle' }
  /** On another host, or in another container. */
  | { how: 'elsewhere'; host: string };

/** Ends the task's run, which ends its calls. Without a run, ends the guardians of direct calls. */
export async function stopTask(task: TaskFolder): Promise<StoppedTask> {
  const { ledger } = openJournal(task.root, () => new Date()).read();
  const self = (await identify(process.pid))!;
  const workers = [
    ...(ledger.run === null ? [] : [{ what: 'run', process: ledger.run.owner } as const]),
    ...openCalls(ledger).map(({ reserved }) => ({ what: 'calls', process: reserved.guardian }) as const),
  ];
  let elsewhere: string | null = null;
  let what: 'run' | 'calls' | null = null;
  for (const worker of workers) {
    const life = await isAlive(worker.process, self);
    if (life === 'unknown') elsewhere = worker.process.host;
    if (life !== 'alive' || (what === 'run' && worker.what === 'calls')) continue;
    endProcess(worker.process.pid);
    what ??= worker.what;
  }
  if (what !== null) return { how: 'signalled', what };
  return elsewhere === null ? { how: 'idle' } : { how: 'elsewhere', host: elsewhere };
}

/** The caller has just found the process alive, by pid, start time and boot. Its end appears in its files. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
    // A stopped process handles no signal until it continues.
    process.kill(pid, 'SIGCONT');
  } catch {
    // It ended by itself.
  }
}
