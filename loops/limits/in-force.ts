// Finds the limits of a call: the user's own, and those of its project, which can only be stricter.

import { isLimited, type LimitsInForce } from '../../policies/limits/limits.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { readUserLimits } from '../../state/limits/limits-files.ts';
import { type LimitsFiles, mayBeLimited } from '../../state/limits/limits-folder.ts';
import { projectFile, readProject } from '../../state/project/project.ts';

/** Throws StrangeStateError if any of them is not valid. */
export async function limitsInForce(files: LimitsFiles | null, projectRoot: string): Promise<LimitsInForce[]> {
  const own = files === null ? [] : [{ limits: readUserLimits(files), project: null, file: files.limits }];
  return [...own, ...(await projectLimits(projectRoot))].filter(({ limits }) => isLimited(limits));
}

async function projectLimits(root: string): Promise<LimitsInForce[]> {
  const file = projectFile(root);
  if (file === null || !mayBeLimited({}, root)) return [];
  const project = await readProject(root);
  if (project.how === 'invalid') throw new StrangeStateError(project.message, 'nothing was started');
  return [{ limits: project.value.limits, project: root, file }];
}
