// Whether a supervised task can hear what a person says: it runs, it waits for an answer, or it is at rest.

import { standingAfter } from '../../policies/supervise/standing.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { projectState } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { readTask } from '../task/task.ts';

type Hearing =
  | { how: 'heard'; task: TaskFolder; stateFolder: string; state: 'running' | 'waiting' | 'at_rest' }
  | { how: 'invalid'; message: string };

export async function hearing(word: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<Hearing> {
  // Nothing is started by it; a part may be a CLI that only a trusted workspace describes.
  const read = await readTask({ word, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return read;
  const { task, manifest, root } = read;
  if (manifest.supervise === undefined)
    return { how: 'invalid', message: `${task.id} is no supervised task, and nobody there would hear it` };
  try {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    const stateFolder = projectState(root, environment);
    const self = (await identify(process.pid))!;
    const isRunning = ledger.run !== null && (await isAlive(ledger.run.owner, self)) !== 'dead';
    const { left } = standingAfter(ledger.supervised);
    const state = isRunning ? 'running' : left?.how === 'parked' ? 'waiting' : 'at_rest';
    return { how: 'heard', task, stateFolder, state };
  } catch (error) {
    if (error instanceof JournalError) return { how: 'invalid', message: error.message };
    throw error;
  }
}
