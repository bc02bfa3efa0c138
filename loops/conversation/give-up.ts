// Gives a session up that cannot be gone on with: its tags forget it, and its file stays.

import { existsSync } from 'node:fs';
import { sessionsFile } from '../../state/sessions-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectState } from '../../state/task-folder.ts';
import { changeSessions } from '../session/change-sessions.ts';
import type { Recovered, Recovering } from './recovery.ts';

/** @param why a whole sentence. */
export async function giveUp({ session, environment, cwd, clock }: Recovering, why: string): Promise<Recovered> {
  const stateFolder = projectState(cwd, environment);
  const tags: string[] = [];
  // A project without sessions of its own is not given a file for it.
  if (!existsSync(sessionsFile(stateFolder))) return { how: 'given_up', why, tags };
  try {
    await changeSessions({ stateFolder, taskId: 'recover', clock }, (before) => {
      const held = before
        .entries()
        .filter(({ tool, entry }) => tool === session.tool && entry.session_id === session.id);
      tags.push(...held.map(({ tag }) => tag));
      return held.reduce((all, { tag, tool }) => all.without(tag, tool, session.id).givingUp(tool, session.id), before);
    });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'refused', why: `${why} Its tag could not be forgotten (${error.message}).` };
  }
  return { how: 'given_up', why, tags };
}
