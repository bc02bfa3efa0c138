// Finds a supervised task (saved, parked or killed) by its name, or by the session id of its worker or reasoner.

import path from 'node:path';
import { standingAfter } from '../../policies/supervise/standing.ts';
import type { LeftHow } from '../../policies/supervise/supervise-facts.ts';
import { namesIn } from '../../state/disk/folder.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, projectState } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';

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
  if (named.how === 'located' && named.folder.manifest !== null) return { how: 'found', word: id, found: null };
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
      : `${id} is a session of several tasks; name the one to go on with: ${owners.map(({ task }) => `tollgate supervise ${task}`).join(', or ')}`;
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

/**
 * Searches all calls of the task, because a fresh session may have replaced the one that the user noted. @returns null for a task
 * that cannot be read.
 */
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
