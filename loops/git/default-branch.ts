// The branch from which a repository's work sets out, as far as its git can say.

import { askGit } from './git.ts';

const PATIENCE_MS = 10_000;

/** The remote's own (`origin/main`), else `main` or `master`; null where there is none of them with a commit, or no git. */
export async function defaultBranch(root: string): Promise<string | null> {
  const git = (...args: string[]) => askGit(args, { cwd: root, timeoutMs: PATIENCE_MS });
  const remote = (await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')).stdout.trim();
  for (const name of [...(remote === '' ? [] : [remote]), 'main', 'master'])
    if ((await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)).code === 0) return name;
  return null;
}
