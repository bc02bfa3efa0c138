// Forgets a tag's sessions: its next task begins fresh ones. The CLIs' own files stay.

import type { Tool } from '../../policies/facts/tools.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { changeSessions } from './change-sessions.ts';

interface Forgetting {
  stateFolder: string;
  clock: () => Date;
  tag: string;
  /** null: of all of them. */
  tool: Tool | null;
}

interface Forgotten {
  forgotten: { tool: Tool; id: string }[];
  /** What is wrong with the file, in sentences. */
  warnings: readonly string[];
}

/** Takes the tag's entries out of sessions.json, of one tool or (null) of all; returns what went. */
export async function forgetSession({ stateFolder, clock, tag, tool }: Forgetting): Promise<Forgotten> {
  const forgotten: { tool: Tool; id: string }[] = [];
  const { warnings } = await changeSessions({ stateFolder, taskId: 'forget', clock }, (before) => {
    let all = before;
    for (const each of tool === null ? TOOLS : [tool]) {
      const kept = before.entries().filter((one) => one.tag === tag && one.tool === each);
      for (const id of new Set(kept.map(({ entry }) => entry.session_id))) {
        // Else it would be found again by its first line.
        all = all.without(tag, each, id).givingUp(each, id);
        forgotten.push({ tool: each, id });
      }
    }
    return all;
  });
  return { forgotten, warnings: warnings() };
}
