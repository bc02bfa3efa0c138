// Finds the CLIs that the tasks of a project call, and those that its tollgate.yaml names.

import path from 'node:path';
import { isTool, TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import type { GivenStage } from '../../state/project/manifest-schema.ts';
import { readProject } from '../../state/project/project.ts';
import { projectRoot, projectState } from '../../state/task-folder.ts';
import { readTask } from '../task/task.ts';

/** Returns the CLIs of all stages, of their fallbacks and of the project's settings; an empty list if none is named. */
export async function usedTools(cwd: string, environment: NodeJS.ProcessEnv, trustWorkspace: boolean): Promise<Tool[]> {
  const folder = path.join(projectState(cwd, environment), 'task');
  const used = new Set<Tool>();
  for (const name of namesIfAny(folder).slice(0, MOST_TASKS)) {
    const read = await readTask({ word: `${path.join(folder, name)}/`, cwd, environment, trustWorkspace });
    if (read.how === 'invalid') continue;
    for (const { stage } of read.plans) for (const { tool } of [stage, ...stage.fallback]) used.add(tool);
  }
  // As for a task, the project's settings count only in a trusted workspace.
  const project = trustWorkspace ? await readProject(projectRoot(cwd)) : null;
  if (project?.how === 'read') for (const tool of toolsIn(project)) used.add(tool);
  return [...used];
}

function toolsIn({ value, has }: Extract<Awaited<ReturnType<typeof readProject>>, { how: 'read' }>): Tool[] {
  const stages = Object.values(value.pipelines).flat() as Pick<GivenStage, 'tool' | 'fallback'>[];
  const { budgets, at_once, per_minute } = value.limits;
  const named = [
    ...stages.flatMap(({ tool, fallback = [] }) => [tool, ...fallback.map((one) => one.tool)]),
    ...[...value.triage.rules, ...budgets].map(({ tool }) => tool),
    ...Object.keys({ ...at_once, ...per_minute }),
    // Both settings have a default for every CLI; only the values in the file count.
    ...TOOLS.filter((tool) => has(['sessions', 'context_limit', tool]) || has(['prompts', 'max_chars', tool])),
  ];
  return named.filter((name): name is Tool => isTool(name) && name !== 'any');
}

/** More tasks would take seconds to read, and would rarely name another CLI. */
const MOST_TASKS = 500;
