// Finds where a worker can fetch the tree of a task: the remote, the commit, and the commits that the manifest names.

import { complaintOf, type Git, gitWith, repositoryMistake } from '../../loops/tree/run-git.ts';
import { hideUrls, TravelRefusal, withoutSecrets } from './refusal.ts';

export interface Origin {
  /** Without a password. */
  remote: string;
  commit: string;
  /** The full names of the references that the manifest names, each with its commit. */
  refs: Record<string, string>;
}

const LOOK_MS = 60_000;

/** @param bases the references with which stages compare the tree. */
export type OriginOf = (tree: string, bases: readonly string[]) => Promise<Origin>;

/** For one command: its tasks travel with one commit, also if another process commits meanwhile. */
export function originsOf({ environment, stop }: { environment: NodeJS.ProcessEnv; stop: AbortSignal }): OriginOf {
  const found = new Map<string, Promise<Origin>>();
  return (tree, bases) => {
    const key = JSON.stringify([tree, ...bases]);
    const origin = found.get(key) ?? findOrigin({ tree, environment, halt: stop }, bases);
    found.set(key, origin);
    return origin;
  };
}

async function findOrigin(
  { tree, environment, halt }: { tree: string; environment: NodeJS.ProcessEnv; halt: AbortSignal },
  bases: readonly string[],
): Promise<Origin> {
  const git = gitWith({ cwd: tree, timeoutMs: LOOK_MS, environment, halt });
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code === 127) throw new TravelRefusal('the tree of a task travels by git, and git is not on the PATH');
  if (head.code === 128)
    throw new TravelRefusal(
      repositoryMistake(tree, head, 'the tree of a task travels by git: git init, commit, and push it'),
    );
  if (head.code !== 0) throw new TravelRefusal(`the repository of ${tree} has no commit yet; commit, and push it`);
  const commit = head.stdout.trim();
  const modules = await git(['ls-tree', '-r', '-z', commit]);
  const submodule = modules.stdout.split('\0').find((line) => line.startsWith('160000 '));
  if (submodule !== undefined)
    throw new TravelRefusal(
      `${submodule.split('\t')[1]} of ${tree} is a submodule, which a worker does not fetch; run this task here`,
    );
  const name = await remoteName(git, tree);
  const url = (await git(['remote', 'get-url', name])).stdout.trim();
  const mistake = remoteMistake(url);
  if (mistake !== null) throw new TravelRefusal(`the remote ${name} of ${tree} (${withoutSecrets(url)}) ${mistake}`);
  const advertised = createAdvertised(git, name);
  if (!(await isPushed(git, name, commit, advertised)))
    throw new TravelRefusal(
      `commit ${commit.slice(0, 12)} of ${tree} is on no branch of the remote ${name}, so no worker can fetch it; push it`,
    );
  const refs: Origin['refs'] = {};
  for (const base of bases) {
    const found = (
      await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`])
    ).stdout.trim();
    if (found === '') throw new TravelRefusal(`diff.base: there is no commit "${base}" in ${tree}`);
    if (!(await isPushed(git, name, found, advertised)))
      throw new TravelRefusal(
        `diff.base: the commit of ${base} is on no branch of the remote ${name}, so no worker can fetch it; push it`,
      );
    // Of main~2, the worker needs main.
    const named = base.replace(/[~^@:].*$/s, '');
    const full = (await git(['rev-parse', '--symbolic-full-name', named])).stdout.trim();
    const tip = (
      await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${named}^{commit}`])
    ).stdout.trim();
    if (full.startsWith('refs/') && tip !== '') refs[full] = tip;
    else refs[`refs/tollgate/base/${found}`] = found;
  }
  return { remote: withoutSecrets(url), commit, refs };
}

/** The name of the remote with which the branch of a tree works. */
export const findRemote = ({
  tree,
  environment,
  halt,
}: {
  tree: string;
  environment: NodeJS.ProcessEnv;
  halt: AbortSignal;
}): Promise<string> => remoteName(gitWith({ cwd: tree, timeoutMs: LOOK_MS, environment, halt }), tree);

/** That of the branch's upstream, otherwise `origin`, otherwise the only one. */
async function remoteName(git: Git, tree: string): Promise<string> {
  const names = (await git(['remote'])).stdout.split('\n').filter(Boolean);
  if (names.length === 0)
    throw new TravelRefusal(
      `the repository of ${tree} has no remote from which a worker can fetch it: git remote add origin URL, and push`,
    );
  const branch = (await git(['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout.trim();
  const upstream = branch === '' ? '' : (await git(['config', '--get', `branch.${branch}.remote`])).stdout.trim();
  const chosen = [upstream, 'origin', ...(names.length === 1 ? names : [])].find((name) => names.includes(name));
  if (chosen !== undefined) return chosen;
  throw new TravelRefusal(
    `${tree} has the remotes ${names.join(', ')}, and none is that of its branch: git branch --set-upstream-to REMOTE/BRANCH`,
  );
}

/** Why a worker cannot fetch from a URL, without a subject; null if it can. A worker checks this too, before git sees it. */
export function remoteMistake(url: string): string | null {
  if (/[\0-\x20\x7f]/.test(url)) return 'has spaces or control characters, and is refused';
  if (/^(?:https?|ssh|git|file):\/\/[^-]/i.test(url) || url.startsWith('/')) return null;
  if (/^[^-/:][^/:]*:(?!:|\/\/)[^-]/.test(url)) return null;
  return /^\.{0,2}\//.test(url) || !url.includes(':')
    ? 'is a path relative to this folder, which other machines do not have'
    : 'is not of https, ssh, git or file, which are the protocols of a worker';
}

type Advertised = () => Promise<ReadonlySet<string>>;

/** The commits of the remote's branches, tags and requests; one request over the network at most. */
function createAdvertised(git: Git, name: string): Advertised {
  let found: Promise<ReadonlySet<string>> | null = null;
  const ask = async () => {
    const ran = await git(['ls-remote', '--quiet', '--', name], { network: 'used' });
    if (ran.code !== 0) throw new TravelRefusal(`the remote ${name} cannot be read: ${hideUrls(complaintOf(ran))}`);
    return new Set(ran.stdout.split('\n').map((line) => line.split('\t')[0]!));
  };
  return () => {
    found ??= ask();
    return found;
  };
}

/** The branches that were fetched last usually show it. In a clone of one branch, or of a request, only the remote can. */
async function isPushed(git: Git, name: string, commit: string, advertised: Advertised): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, `refs/remotes/${name}/`];
  return (await git(args)).stdout.trim() !== '' || (await advertised()).has(commit);
}
