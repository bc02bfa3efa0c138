// Forgets a tag's sessions: its next task begins fresh ones. The CLIs' own files remain.

import type { Tool } from '../../policies/facts/tools.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { changeSessions } from './change-sessions.ts';

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

/** Removes the tag's entries from sessions.json, for one tool or (null) for all; returns the removed ones. */
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
