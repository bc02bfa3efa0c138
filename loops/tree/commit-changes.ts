// Commits what the stages of a task changed, without the user's own changes, hooks, and the rest of the user's index.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstNames } from '../../policies/text/display.ts';
import { isLossy } from './entry.ts';
import { submodulesIn } from './repository.ts';
import {
  askPaths,
  complaintOf,
  type Git,
  type GitRan,
  type GitRequest,
  gitWith,
  repositoryFilters,
  repositoryMistake,
  switchedOff,
} from './run-git.ts';
import { type Invalid, invalid, updateIndex, withApart } from './separate-index.ts';
import { type KeepRules, objectFolders, readTrees, type StageTrees, treeNow, whyNotKept } from './stage-trees.ts';

export interface CommitPlace {
  /** The folder in which the stages worked. */
  tree: string;
  environment: NodeJS.ProcessEnv;
  /** Only in a trusted workspace, filters from the repository's own settings run. */
  trust: 'trusted' | 'untrusted';
  /** `Name <address>`; null for git's own setting. */
  author: string | null;
  halt: AbortSignal;
}

const PATIENCE_MS = 5 * 60_000;

const gitIn = ({ tree, environment, halt }: CommitPlace): Git =>
  gitWith({ cwd: tree, timeoutMs: PATIENCE_MS, environment, halt });

/** Says before anything is paid why no commit can be made; null if one can. */
export async function commitMistake(place: CommitPlace): Promise<string | null> {
  const git = gitIn(place);
  const found = await askPaths(
    git,
    UNFINISHED.map((name) => ['--git-path', name]),
  );
  if (!Array.isArray(found))
    return found.code === 127
      ? '--commit needs git, and git is not on the PATH'
      : repositoryMistake(place.tree, found, 'run git init there, or leave --commit out');
  const at = found.findIndex((file) => existsSync(file));
  if (at !== -1)
    return `--commit: the repository of ${place.tree} is in the middle of a merge, rebase, cherry-pick or revert (${UNFINISHED[at]}); finish it first`;
  const identity = await git(['var', 'GIT_COMMITTER_IDENT'], { settings: identityOf(place.author) });
  if (identity.code !== 0)
    return '--commit: git does not know who commits; set git config user.name and user.email, or commit.author in tollgate.yaml';
  return null;
}

const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'] as const;

function identityOf(author: string | null): NonNullable<GitRequest['settings']> {
  const [, name, email] = /^(.+?) <(.+)>$/.exec(author ?? '') ?? [];
  if (name === undefined || email === undefined) return [];
  return [
    ['user.name', name],
    ['user.email', email],
  ];
}

interface CommitRequest extends CommitPlace {
  rules: KeepRules;
  /** The folders of the trees of the writing stages, in order, and the paths that their gates found changed, if known. */
  stages: readonly { stage: string; trees: string; changed: readonly string[] | null }[];
  inScope(name: string): boolean;
  /** Whether the gate has looked at the tree as it is now, and not only at the end of each stage. */
  edits: 'checked' | 'unchecked';
  message: string;
}

/** `omitted`: changed paths that are not in the commit, each with the reason. */
type CommitMade =
  | { how: 'done'; id: string; branch: string | null; files: string[]; omitted: string[] }
  | { how: 'nothing'; omitted: string[] }
  | Invalid;

/** The user's uncommitted changes stay as they are, in the tree and in the index. The caller holds the lock on the tree. */
export async function commitChanges(request: CommitRequest): Promise<CommitMade> {
  const found: { stage: string; folder: string; trees: StageTrees }[] = [];
  for (const { stage, trees: folder, changed } of request.stages) {
    const trees = readTrees(folder);
    if (trees?.after == null) {
      const why = whyNotKept(folder) ?? 'more than 64 MB of changed files, or no git repository at its start';
      return invalid(`what stage ${stage} changed is not known: its trees were not kept (${why})`);
    }
    const unread = trees.unread.filter((name) => changed === null || isAmong(name, changed));
    found.push({ stage, folder, trees: { ...trees, unread } });
  }
  const last = found.at(-1);
  if (last === undefined) return { how: 'nothing', omitted: [] };
  const others = found.flatMap(({ folder }) => objectFolders(folder));
  return withApart(
    { cwd: request.tree, environment: request.environment, others, halt: request.halt },
    async (apart) => {
      const chosen = await choosePaths(
        apart.git,
        found.map(({ trees }) => trees),
        request,
      );
      if ('how' in chosen) return chosen;
      const { paths } = chosen;
      const seen = request.stages.flatMap(({ changed }) => changed ?? []);
      // git looks at the commit of a submodule, and not at its files.
      const within = (await submodulesIn(apart.git)).filter((name) => isAmong(`${name}/`, seen));
      const omitted = [...new Set([...chosen.omitted, ...within.map((name) => `${name} ${IS_REPOSITORY}`)])];
      if (paths.length === 0) return { how: 'nothing', omitted };
      if (request.edits === 'checked') return writeCommit(paths, omitted, request);
      const now = await treeNow(apart, request.rules);
      if ('how' in now) return now;
      const since = await differingPaths(apart.git, last.trees.after!, now.tree);
      if ('how' in since) return since;
      const edited = paths.filter((name) => since.has(name));
      if (edited.length > 0)
        return invalid(
          `${firstNames(edited, MOST_LISTED)} changed after stage ${last.stage} was checked; \`--recheck --commit\` checks the tree as it is now, and commits it`,
        );
      return writeCommit(paths, omitted, request);
    },
  );
}

export const MOST_LISTED = 5;

const IS_REPOSITORY = 'is a repository of its own';

/** @param name as git has it: a nested repository ends with a slash. @param changed as the gate has them: unknown bytes in hex. */
const isAmong = (name: string, changed: readonly string[]): boolean =>
  changed.some((path) => {
    const known = path.replace(/\ufffd[0-9a-f]+\./g, '\ufffd');
    return known === name || (name.endsWith('/') && known.startsWith(name));
  });

const whyUnread = (name: string): string => {
  if (name.endsWith('/')) return IS_REPOSITORY;
  return isLossy(name) ? 'has a name that is not UTF-8' : 'is too large to be kept, or cannot be read';
};

/** A path that had uncommitted changes before the first stage that changed it is the user's. */
async function choosePaths(
  git: Git,
  stages: readonly StageTrees[],
  { inScope }: CommitRequest,
): Promise<{ paths: string[]; omitted: string[] } | Invalid> {
  const ours = new Set<string>();
  const omitted = new Map<string, string>();
  for (const { head, before, after, unread } of stages) {
    const dirty = await differingPaths(git, head ?? (await git(['mktree'], { input: '' })).stdout.trim(), before);
    if ('how' in dirty) return dirty;
    const changed = await differingPaths(git, before, after!);
    if ('how' in changed) return changed;
    for (const [name, isRepository] of changed) {
      if (ours.has(name) || omitted.has(name)) continue;
      if (dirty.has(name)) omitted.set(name, 'had uncommitted changes before the task');
      else if (isRepository) omitted.set(name, IS_REPOSITORY);
      else if (inScope(name)) ours.add(name);
      else omitted.set(name, 'is out of scope');
    }
    for (const name of unread) omitted.set(name, whyUnread(name));
  }
  return {
    paths: [...ours].sort(),
    omitted: [...omitted].map(([name, why]) => `${name} ${why}`),
  };
}

/** Returns the differing paths, each with whether it is a nested repository on one side. */
async function differingPaths(git: Git, from: string, to: string): Promise<Map<string, boolean> | Invalid> {
  const ran = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--relative', from, to, '--', '.']);
  if (ran.code !== 0) return invalid(`the stored trees of the stages cannot be compared (${complaintOf(ran)})`);
  const fields = ran.stdout.split('\0');
  const found = new Map<string, boolean>();
  for (let at = 0; at + 1 < fields.length; at += 2)
    found.set(
      fields[at + 1]!,
      fields[at]!.split(' ', 2).some((mode) => mode.endsWith(REPOSITORY_MODE)),
    );
  return found;
}

const REPOSITORY_MODE = '160000';

/** git's commands for a commit would run the hooks of the repository, and commit what the user has staged. */
async function writeCommit(paths: readonly string[], omitted: string[], request: CommitRequest): Promise<CommitMade> {
  const git = gitIn(request);
  const filters = await filtersFor(git, paths, request);
  if (!Array.isArray(filters)) return filters;
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-commit-'));
  const failed = (ran: GitRan) => invalid(`git could not make the commit: ${complaintOf(ran)}`);
  try {
    const places = await git(['rev-parse', '--path-format=absolute', '--git-path', 'objects']);
    const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    const parent = head.code === 0 ? head.stdout.trim() : null;
    const apart = { index: path.join(folder, 'index'), objects: places.stdout.trim(), others: [] };
    const settings = [...switchedOff(filters), ...identityOf(request.author)];
    const own: Git = (args, more) => git(args, { settings, apart, ...more });
    if (parent !== null) {
      const read = await own(['read-tree', parent]);
      if (read.code !== 0) return failed(read);
    }
    const added = await updateIndex(own, request.tree, paths);
    if (added !== null && added.code !== 0) return failed(added);
    const written = await own(['write-tree']);
    if (written.code !== 0) return failed(written);
    const tree = written.stdout.trim();
    const files =
      parent === null ? new Map(paths.map((name) => [name, false])) : await differingPaths(own, parent, tree);
    if ('how' in files) return files;
    if (files.size === 0) return { how: 'nothing', omitted };
    const parents = parent === null ? [] : ['-p', parent];
    const committed = await own(['commit-tree', tree, ...parents, '-F', '-'], { input: request.message });
    if (committed.code !== 0) return failed(committed);
    const id = committed.stdout.trim();
    const old = parent ?? '0'.repeat(id.length);
    const moved = await own(['update-ref', '-m', 'commit: tollgate run --commit', 'HEAD', id, old]);
    if (moved.code !== 0) return failed(moved);
    const plain: Git = (args, more) => git(args, { settings: switchedOff(filters), ...more });
    const staged = await updateIndex(plain, request.tree, paths);
    if (staged !== null && staged.code !== 0)
      omitted.push(`the index of git could not be updated (${complaintOf(staged)}); run git reset --quiet`);
    const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
    return {
      how: 'done',
      id,
      branch: branch.code === 0 ? branch.stdout.trim() : null,
      files: [...files.keys()],
      omitted,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the filters to switch off. Without its filter, a file would be committed in another form than the repository wants. */
async function filtersFor(git: Git, paths: readonly string[], { trust }: CommitRequest): Promise<string[] | Invalid> {
  if (trust === 'trusted') return [];
  const found = await repositoryFilters(git);
  if (found.how === 'unknown')
    return invalid(`the filters of the repository cannot be read: ${complaintOf(found.ran)}`);
  if (found.names.length === 0) return [];
  const input = paths.map((name) => `${name}\0`).join('');
  const ran = await git(['check-attr', '-z', '--stdin', 'filter'], { input });
  if (ran.code !== 0) return invalid(`git could not read the attributes of the changed files: ${complaintOf(ran)}`);
  const fields = ran.stdout.split('\0');
  const filtered = paths.filter((_, i) => found.names.includes(fields[i * 3 + 2] ?? ''));
  if (filtered.length === 0) return found.names;
  return invalid(
    `${firstNames(filtered, MOST_LISTED)} needs a filter of the repository's own settings, which runs only in a trusted workspace; use --trust-workspace, or commit it with git`,
  );
}
