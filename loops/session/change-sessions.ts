// Changes `sessions.json`, one process at a time: any change, forgetting a tag, and marking a session as repaired.

import path from 'node:path';
import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { readSessions, type Sessions, writeSessions } from '../../state/sessions/sessions-file.ts';
import { projectState } from '../../state/task-folder.ts';
import { acquireTicket } from '../limits/acquire-ticket.ts';

interface Changing {
  stateFolder: string;
  /** The task that makes the change, for readers of the queue. */
  taskId: string;
  clock: () => Date;
}

/** The folder of the queues for a session, or for the file itself. */
export const sessionLines = (stateFolder: string): string => path.join(stateFolder, 'state', 'sessions');

/** Throws the error of the operating system if the file cannot be written. @returns the new content. */
export async function changeSessions(
  { stateFolder, taskId, clock }: Changing,
  change: (sessions: Sessions) => Sessions,
): Promise<Sessions> {
  const turn = await acquireTicket({
    line: { folder: sessionLines(stateFolder), name: 'file' },
    mode: 'write',
    taskId,
    stage: 'sessions.json',
    // A process holds the turn only while it writes the file.
    longestMs: 60_000,
    stop: NEVER,
    whileWaiting: () => {},
    clock,
  });
  try {
    const before = await readSessions(stateFolder, clock);
    const after = change(before);
    if (after.json !== before.json) await writeSessions(stateFolder, after);
    return { ...after, warnings: before.warnings };
  } finally {
    if (turn.how === 'taken') turn.release();
  }
}

const NEVER = new AbortController().signal;

interface Forgetting {
  stateFolder: string;
  clock: () => Date;
  tag: string;
  /** null: the sessions of all tools. */
  tool: Tool | null;
}

interface Forgotten {
  forgotten: { tool: Tool; id: string }[];
  /** Problems of the file, in sentences. */
  warnings: readonly string[];
}

/** Removes the tag's entries, so that its next task begins fresh sessions. The CLIs' own files remain. */
export async function forgetSession({ stateFolder, clock, tag, tool }: Forgetting): Promise<Forgotten> {
  const forgotten: { tool: Tool; id: string }[] = [];
  const { warnings } = await changeSessions({ stateFolder, taskId: 'forget', clock }, (before) => {
    let all = before;
    for (const each of tool === null ? TOOLS : [tool]) {
      const kept = before.entries().filter((one) => one.tag === tag && one.tool === each);
      for (const id of new Set(kept.map(({ entry }) => entry.session_id))) {
        // Otherwise the session would be found again by its first line.
        all = all.without(tag, each, id).givingUp(each, id);
        forgotten.push({ tool: each, id });
      }
    }
    return all;
  });
  return { forgotten, warnings: warnings() };
}

interface Repaired {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  tool: Tool;
  id: string;
}

/** Lets every tag of this project that has the session continue in it. */
export async function markRepaired({ cwd, environment, clock, tool, id }: Repaired): Promise<void> {
  const stateFolder = projectState(cwd, environment);
  await changeSessions({ stateFolder, taskId: 'recover', clock }, (before) => {
    let all = before.takingBack(tool, id);
    for (const { tag, entry, folder, tool: its } of before.entries()) {
      if (its !== tool) continue;
      const { in_place_of, ...own } = entry;
      if (in_place_of === id) all = all.with(tag, tool, own, folder);
      if (entry.session_id !== id) continue;
      const { poisoned: _, ...sound } = entry;
      all = all.with(tag, tool, { ...sound, error_count: 0 }, folder);
    }
    return all;
  });
}
