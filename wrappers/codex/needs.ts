// What codex alone needs to be told about the folder that it would run in.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type CheckAnswer, say } from '../../policies/facts/finding.ts';

export const codexNeeds = ({ cwd }: { cwd: string }): CheckAnswer =>
  repositoryOf(cwd) === null
    ? say('note', `refuses to run in ${cwd}, which is in no git repository`, 'git init, or give --trust-workspace')
    : null;

/** The nearest folder upwards that git would take for the root. */
function repositoryOf(folder: string): string | null {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
}
