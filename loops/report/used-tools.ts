// Which CLIs the tasks of a project call.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { projectState } from '../../state/task-folder.ts';
import { readTask } from '../task/task.ts';

/** Those of all stages and of their fallbacks; empty where there is no task that can be read. */
export async function usedTools(cwd: string, environment: NodeJS.ProcessEnv, trustWorkspace: boolean): Promise<Tool[]> {
  const folder = path.join(projectState(cwd, environment), 'task');
  const used = new Set<Tool>();
  for (const name of namesIfAny(folder).slice(0, MOST_TASKS)) {
    const read = await readTask({ word: `${path.join(folder, name)}/`, cwd, environment, trustWorkspace });
    if (read.how === 'invalid') continue;
    for (const { stage } of read.plans) for (const { tool } of [stage, ...stage.fallback]) used.add(tool);
  }
  return [...used];
}

/** More would take seconds to read, and hardly name another CLI. */
const MOST_TASKS = 500;
