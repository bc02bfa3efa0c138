// Lists the project files of its prompts, found as in composing: those that tollgate.yaml names, and their includes.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import type { Forbids } from '../tree/forbidden.ts';
import { readWithin, spelledIn } from '../tree/within.ts';
import { readTemplate } from './read-template.ts';

interface TemplatesOf {
  /** The project's root, absolute. */
  root: string;
  /** The task's folder, absolute. */
  task: string;
  project: Pick<ProjectFile, 'rules' | 'roles'>;
  /** In an untrusted workspace none of these files is used, so none is read. */
  trust: ResolvedRole['trust'];
  forbids: Forbids;
}

/**
 * Returns absolute paths: each file's name, and its real name if links within the project lead elsewhere. Some files may not
 * exist.
 */
export function templateFiles({ root, task, project, trust, forbids }: TemplatesOf): string[] {
  if (trust === 'untrusted') return [];
  const files = new Set<string>();
  const counted = (file: string) => {
    const named = path.join(root, spelledIn(root, file));
    for (const each of [named, realWithin(root, named)]) if (each !== null) files.add(each);
  };
  if (project.rules !== null && readWithin({ folder: root, root, forbids }, project.rules).how !== 'refused')
    counted(project.rules);
  const place = { stage: '', task, root, forbids, counted };
  for (const { template } of Object.values(project.roles))
    if (template !== undefined) readTemplate(place, { template: { from: 'project', file: template } }, VARIABLES);
  return [...files];
}

/** The same names as in composing, so that no valid variable counts as a mistake. Their values do not matter here. */
const VARIABLES = { goal: '', task_id: '', role: '', stage: '' };

function realWithin(root: string, file: string): string | null {
  try {
    const [home, real] = [realpathSync.native(root), realpathSync.native(file)];
    return isWithin(home, real) ? path.join(root, path.relative(home, real)) : null;
  } catch {
    return null;
  }
}
