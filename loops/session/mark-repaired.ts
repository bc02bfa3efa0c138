// Marks a session as repaired, so that its tag continues in it.

import type { Tool } from '../../policies/facts/tools.ts';
import { projectState } from '../../state/task-folder.ts';
import { changeSessions } from './change-sessions.ts';

interface Healing {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  tool: Tool;
  id: string;
}

/** Changes the session under every tag of this project. */
export async function markRepaired({ cwd, environment, clock, tool, id }: Healing): Promise<void> {
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
