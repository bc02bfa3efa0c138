// Finds the branch from which a repository's work starts, as far as git can report it.

import { askGit } from './run-git.ts';

const PATIENCE_MS = 10_000;

/**
 * Returns the remote's default (`origin/main`), otherwise `main` or `master`. Returns null without git, or if none of them has a
 * commit.
 */
export async function defaultBranch(root: string): Promise<string | null> {
  const git = (...args: string[]) => askGit(args, { cwd: root, timeoutMs: PATIENCE_MS });
  const remote = (await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')).stdout.trim();
  for (const name of [...(remote === '' ? [] : [remote]), 'main', 'master'])
    if ((await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)).code === 0) return name;
  return null;
}
