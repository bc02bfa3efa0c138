// Finds a supervised task by its name or a session id, and finds out whether it can receive a user's note.

import path from 'node:path';
import { type LeftHow, standingAfter } from '../../policies/supervise/supervision.ts';
import { namesIn } from '../../state/disk/folder.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { leaveNote, MAX_NOTE_BYTES, notesFolder, notesLeft } from '../../state/supervise/texts.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { readTask } from '../task/task.ts';

/** `found`: a sentence that says how the task was found; null if the user named the task. */
type FoundSupervised = { how: 'found'; word: string; found: string | null } | { how: 'invalid'; message: string };

interface Owner {
  task: string;
  part: string;
  how: LeftHow | null;
  iteration: number;
}

export function findSupervised(id: string, cwd: string, environment: NodeJS.ProcessEnv): FoundSupervised {
  const named = locateTask(id, cwd, environment);
  if (named.how === 'found' && named.folder.manifest !== null) return { how: 'found', word: id, found: null };
  const state = projectState(cwd, environment);
  const owners = namesIn(path.join(state, 'task')).flatMap((task) => ownerOf(id, task, cwd, environment) ?? []);
  const [only, another] = owners;
  if (only !== undefined && another === undefined) {
    const { task, part, how, iteration } = only;
    return {
      how: 'found',
      word: task,
      found: `${id} is a session of the ${part} of ${task}, ${ENDED[how ?? 'killed']} in iteration ${iteration}`,
    };
  }
  const message =
    only === undefined
      ? `no supervised task of ${path.dirname(state)} has a session "${id}", nor that name; tollgate report lists the tasks`
      : `${id} is a session of several tasks; name the one to continue: ${owners.map(({ task }) => `tollgate supervise ${task}`).join(', or ')}`;
  return { how: 'invalid', message };
}

const ENDED: Record<LeftHow | 'killed', string> = {
  done: 'which is done since',
  saved: 'which was saved',
  parked: 'which waits for an answer since',
  stopped: 'which was stopped',
  interrupted: 'which was interrupted',
  killed: 'which runs, or whose run was killed,',
};

/** Searches all calls, as a newer session may have replaced the noted one. @returns null for an unreadable task. */
function ownerOf(id: string, name: string, cwd: string, environment: NodeJS.ProcessEnv): Owner | null {
  const located = locateTask(name, cwd, environment);
  if (located.how === 'invalid') return null;
  try {
    const { ledger } = openJournal(located.folder.root, () => new Date()).read();
    if (ledger.supervised.length === 0) return null;
    const calls = [...ledger.calls.values()].filter(({ reserved }) => reserved.run_id !== null);
    const call = calls.findLast((one) => findRecord(located.folder, one)?.session_id === id);
    if (call === undefined) return null;
    const { lastEnd, step, iteration } = standingAfter(ledger.supervised);
    const how = lastEnd?.how ?? (step === 'done' ? 'done' : null);
    return { task: name, part: call.reserved.stage, how, iteration };
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return null;
    throw error;
  }
}

type HearingState = 'running' | 'waiting' | 'at_rest' | 'done';

type LeftAnswer =
  | {
      how: 'noted';
      task: TaskFolder;
      note: string;
      state: HearingState;
      /** @param words the task, with the flags of the command that continues it. */
      message(words: string): string;
      /** Whether no run has read it yet: a run that was about to end may have ended without it. */
      isUnread(): boolean;
    }
  | { how: 'invalid'; message: string };

/** Stores a user's message for the reasoner of a supervised task, which reads it in its next iteration. */
export async function leaveAnswer(
  word: string,
  text: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<LeftAnswer> {
  const mistake = textMistake(text);
  if (mistake !== null) return { how: 'invalid', message: mistake };
  const target = await hearing(word, cwd, environment);
  if (target.how === 'invalid') return target;
  const { task, notes } = target;
  const note = await leaveNote(notes, text, new Date());
  const state = await target.state();
  const isUnread = () => notesLeft(notes).some((pending) => pending.note === note);
  return { how: 'noted', task, note, state, message: MESSAGES[state], isUnread };
}

const MESSAGES: Record<HearingState, (words: string) => string> = {
  running: () => 'Noted: the reasoner hears it at its next iteration; where the run ends before, in the next run.',
  waiting: (words) => `Noted. To continue: tollgate supervise ${words}`,
  at_rest: (words) => `Noted for the next run: tollgate supervise ${words}`,
  done: (words) =>
    `Noted; but the task is done, so the note is read only after a new start: tollgate supervise ${words} --anew`,
};

function textMistake(text: string): string | null {
  if (text.trim() === '') return 'there is no text in the answer; say something';
  if (text.includes('\0')) return 'the text holds a NUL character';
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_NOTE_BYTES ? `the text has ${bytes} bytes; at most ${MAX_NOTE_BYTES} are taken` : null;
}

type Hearing =
  | {
      how: 'found';
      task: TaskFolder;
      /** The folder for the task's notes. */
      notes: string;
      /** Call this after the note is stored. A run that had parked by then has not seen the note; any other run sees it. */
      state(): Promise<HearingState>;
    }
  | { how: 'invalid'; message: string };

async function hearing(word: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<Hearing> {
  // This read starts no process, so trust is safe. Only a trusted workspace may describe the CLI of a part.
  const read = await readTask({ word, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return read;
  const { task, manifest, root } = read;
  if (manifest.supervise === undefined)
    return { how: 'invalid', message: `${task.id} is not a supervised task, so a note to it would not be read` };
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
  return { how: 'found', task, notes: notesFolder(environment, projectState(root, environment), task), state };
}
