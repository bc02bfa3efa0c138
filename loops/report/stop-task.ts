// Ends the processes of a task, as TERM to its run does: they save their state first, and a later run continues from there.

import { openJournal } from '../../state/journal/journal.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';

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
