// Which CLIs the tasks of a project call, and its own pipelines.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import type { GivenStage } from '../../state/project/manifest-schema.ts';
import { readProject } from '../../state/project/project.ts';
import { projectRoot, projectState } from '../../state/task-folder.ts';
import { readTask } from '../task/task.ts';

/** Those of all stages and of their fallbacks; empty where neither a task nor a pipeline of the project names one. */
export async function usedTools(cwd: string, environment: NodeJS.ProcessEnv, trustWorkspace: boolean): Promise<Tool[]> {
  const folder = path.join(projectState(cwd, environment), 'task');
  const used = new Set<Tool>();
  for (const name of namesIfAny(folder).slice(0, MOST_TASKS)) {
    const read = await readTask({ word: `${path.join(folder, name)}/`, cwd, environment, trustWorkspace });
    if (read.how === 'invalid') continue;
    for (const { stage } of read.plans) for (const { tool } of [stage, ...stage.fallback]) used.add(tool);
  }
  // As for a task, its pipelines count only in a trusted workspace.
  const project = trustWorkspace ? await readProject(projectRoot(cwd)) : null;
  if (project?.how === 'read')
    for (const stages of Object.values(project.value.pipelines) as Pick<GivenStage, 'tool' | 'fallback'>[][])
      for (const { tool, fallback = [] } of stages) for (const one of [{ tool }, ...fallback]) used.add(one.tool);
  return [...used];
}

/** More would take seconds to read, and hardly name another CLI. */
const MOST_TASKS = 500;
