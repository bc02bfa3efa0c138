// Ends what works on a task, as TERM to its run does: what is known is written first, and a later run goes on from there.

import { openJournal } from '../../state/journal/journal.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';

type StoppedTask =
  | { how: 'told'; what: 'run' | 'calls' }
  | { how: 'idle' }
  /** On another host, or in another container. */
  | { how: 'elsewhere'; host: string };

/** Its run, which ends its calls; where there is none, the guardians of calls by hand. */
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
  if (what !== null) return { how: 'told', what };
  return elsewhere === null ? { how: 'idle' } : { how: 'elsewhere', host: elsewhere };
}

/** It was found alive just now, by pid, start time and boot; its end is seen by its files. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
    // A stopped process hears nothing until it goes on.
    process.kill(pid, 'SIGCONT');
  } catch {
    // It ended by itself.
  }
}
