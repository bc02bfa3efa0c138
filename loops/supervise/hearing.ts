// Whether a supervised task can hear what a person says: it runs, it waits for an answer, it is at rest, or done.

import { standingAfter } from '../../policies/supervise/standing.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { notesFolder } from '../../state/supervise/notes.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { projectState } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { readTask } from '../task/task.ts';

type HearingState = 'running' | 'waiting' | 'at_rest' | 'done';

type Hearing =
  | {
      how: 'heard';
      task: TaskFolder;
      /** Where notes for it are left. */
      notes: string;
      /** Asked once a note is there: a run that had parked by then has not seen it, any other one does. */
      state(): Promise<HearingState>;
    }
  | { how: 'invalid'; message: string };

export async function hearing(word: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<Hearing> {
  // Nothing is started by it; a part may be a CLI that only a trusted workspace describes.
  const read = await readTask({ word, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return read;
  const { task, manifest, root } = read;
  if (manifest.supervise === undefined)
    return { how: 'invalid', message: `${task.id} is no supervised task, and nobody there would hear it` };
  const state = async (): Promise<HearingState> => {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    const { left, step } = standingAfter(ledger.supervised);
    if (left?.how === 'parked') return 'waiting';
    const self = (await identify(process.pid))!;
    const isRunning = ledger.run !== null && (await isAlive(ledger.run.owner, self)) !== 'dead';
    return isRunning ? 'running' : step === 'done' ? 'done' : 'at_rest';
  };
  try {
    await state();
  } catch (error) {
    if (error instanceof JournalError) return { how: 'invalid', message: error.message };
    throw error;
  }
  return { how: 'heard', task, notes: notesFolder(environment, projectState(root, environment), task), state };
}
