// Finds out whether a file came with a checkout: it, or a link on the path to it, is in the index of its repository.

import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { askGit, complaintOf } from './run-git.ts';

/**
 * Returns why a file counts as tracked, or null if it does not. It counts if git cannot answer. Starts no git outside of a
 * repository.
 */
export async function whyTracked(file: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  for (const place of new Set([realpathSync(file), path.resolve(file), ...linksAbove(path.resolve(file))])) {
    const folder = realpathSync(path.dirname(place));
    const top = repositoryAbove(folder);
    if (top === null) continue;
    const name = path.relative(top, path.join(folder, path.basename(place)));
    const args = ['--literal-pathspecs', 'ls-files', '--error-unmatch', '--', name];
    const ran = await askGit(args, { cwd: top, timeoutMs: PATIENCE_MS, environment });
    if (ran.code === 0) return `git tracks ${place}`;
    const isOutside = ran.code === 128 && ran.stderr.includes('not a git repository');
    if (ran.code !== 1 && !isOutside) return `git cannot tell whether it tracks ${place} (${complaintOf(ran)})`;
  }
  return null;
}

const PATIENCE_MS = 10_000;

function linksAbove(file: string): string[] {
  const folder = path.dirname(file);
  if (folder === file) return [];
  const above = linksAbove(folder);
  return lstatSync(folder).isSymbolicLink() ? [folder, ...above] : above;
}

function repositoryAbove(folder: string): string | null {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const above = path.dirname(folder);
  return above === folder ? null : repositoryAbove(above);
}
