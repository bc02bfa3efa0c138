// Where the limits over all tasks of a user lie, and what is used of them; and whether anything of it is there at all.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { isAbsent, kindOf, readFollowedIfFit } from '../disk/regular-file.ts';
import { userState } from '../user-state.ts';

export interface LimitsFiles {
  folder: string;
  /** The user's own limits. */
  limits: string;
  ledger: string;
  holds: string;
}

/** null for a user without a home. */
export function limitsFiles(environment: NodeJS.ProcessEnv): LimitsFiles | null {
  const state = userState(environment);
  if (state === null) return null;
  const folder = path.join(state, 'limits');
  const file = (name: string) => path.join(folder, name);
  return { folder, limits: file('limits.json'), ledger: file('ledger.json'), holds: file('holds.json') };
}

/** A look that costs next to nothing: who has no limit and no hold need not load what reads them. What cannot be read counts as a limit. */
export function mayBeLimited(environment: NodeJS.ProcessEnv, projectRoot: string): boolean {
  const files = limitsFiles(environment);
  if (files !== null && (!isAbsent(files.limits) || existsSync(files.holds))) return true;
  return PROJECT_FILES.map((name) => path.join(projectRoot, name))
    .filter((file) => kindOf(file) !== null)
    .some((file) => MENTION.test(readFollowedIfFit(file) ?? 'limits:'));
}

/** As `state/project/project.ts` names them, which would load all that reads YAML. */
const PROJECT_FILES = ['tollgate.yaml', 'tollgate.yml'];

/** A key of that name, in any of YAML's forms; a comment that looks like one costs a reading. */
const MENTION = /limits['"]?\s*:/;
