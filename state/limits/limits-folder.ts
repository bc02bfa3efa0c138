// Locates the limits over all tasks of a user and their ledger, and checks whether either exists.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { isAbsent, kindOf, readFollowedIfFit } from '../disk/regular-file.ts';
import { userState } from '../task-folder.ts';

export interface LimitsFiles {
  folder: string;
  /** The user's own limits. */
  limits: string;
  ledger: string;
  holds: string;
}

/** @returns null for a user without a home. */
export function limitsFiles(environment: NodeJS.ProcessEnv): LimitsFiles | null {
  const state = userState(environment);
  if (state === null) return null;
  const folder = path.join(state, 'limits');
  const file = (name: string) => path.join(folder, name);
  return { folder, limits: file('limits.json'), ledger: file('ledger.json'), holds: file('holds.json') };
}

/** A cheap check, so that a call without limits and holds need not load their reader. An unreadable file counts as a limit. */
export function mayBeLimited(environment: NodeJS.ProcessEnv, projectRoot: string): boolean {
  const files = limitsFiles(environment);
  if (files !== null && (!isAbsent(files.limits) || existsSync(files.holds))) return true;
  return PROJECT_FILES.map((name) => path.join(projectRoot, name))
    .filter((file) => kindOf(file) !== null)
    .some((file) => MENTION.test(readFollowedIfFit(file) ?? 'limits:'));
}

/** The same names as in `state/project/project.ts`, which would load the YAML reader. */
const PROJECT_FILES = ['tollgate.yaml', 'tollgate.yml'];

/** A key of that name, in any YAML form; a comment that looks like one only costs a read. */
const MENTION = /limits['"]?\s*:/;
