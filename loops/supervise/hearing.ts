// Finds out whether a supervised task can receive a user's note: it runs, waits for an answer, is at rest, or is done.

import { standingAfter } from '../../policies/supervise/standing.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { notesFolder } from '../../state/supervise/texts.ts';
import { projectState, type TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { readTask } from '../task/task.ts';

type HearingState = 'running' | 'waiting' | 'at_rest' | 'done';

type Hearing =
  | {
      how: 'heard';
      task: TaskFolder;
      /** The folder for the task's notes. */
      notes: string;
      /** Call this after the note is stored. A run that had parked by then has not seen the note; any other run sees it. */
      state(): Promise<HearingState>;
    }
  | { how: 'invalid'; message: string };

export async function hearing(word: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<Hearing> {
  // This read starts no process, so trust is safe. Only a trusted workspace may describe the CLI of a part.
  const read = await readTask({ word, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return read;
  const { task, manifest, root } = read;
  if (manifest.supervise === undefined)
    return { how: 'invalid', message: `${task.id} is no supervised task, so a note to it would not be read` };
  const state = async (): Promise<HearingState> => {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    const { lastEnd, step } = standingAfter(ledger.supervised);
    if (lastEnd?.how === 'parked') return 'waiting';
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
