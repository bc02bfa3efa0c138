// Finds the changed paths that git ignores, in a way that prevents a stage from hiding its changes.

import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { isCommit } from './git-place.ts';
import { rulesFor, trackedPaths } from './git-trees.ts';
import { isLossy } from './names.ts';
import { nestedIn, type TreeSnapshot } from './snapshot.ts';

/**
 * A path is ignored if a pattern from before the stage matches it. It must be tracked neither now nor in the commit of before. If
 * a stage wrote to a file that decides, or if git gives no answer, nothing is ignored. Such files are a `.gitignore` that git
 * reads, `.git/info/exclude`, and the settings. One case is not detected: a file that was tracked but never committed, matches a
 * pattern, and is removed from the index by the stage.
 */
export async function ignoredAmong(
  changes: readonly Change[],
  before: TreeSnapshot,
  after: TreeSnapshot,
): Promise<ReadonlySet<string>> {
  const { git } = before;
  const none = new Set<string>();
  if (git === null || after.git?.own !== git.own || after.git.common !== git.common) return none;
  if (Object.entries(before.rules).some(([file, stamp]) => after.rules[file] !== stamp)) return none;
  const ignored = new Set<string>();
  for (const { at, commit, paths } of byRepository(changes, before)) {
    const within = at === '' ? paths : paths.map((name) => name.slice(at.length + 1));
    const queried = within.filter((_, i) => canBeQueried(paths[i]!, after));
    const found = ignored.has(at) ? within : await ignoredIn(path.join(before.root, at), queried, commit);
    if (found === null) return none;
    for (const name of found) ignored.add(at === '' ? name : `${at}/${name}`);
  }
  return ignored;
}

interface Group {
  /** The repository's folder, relative to the root; '' is the root's own repository. */
  at: string;
  commit: string | null;
  /** Changed paths in the repository, and its nested repositories that have some. */
  paths: string[];
}

/**
 * Patterns hold within one repository; those of the outer repository come first. Rules of a repository that the stage made do not
 * count.
 */
function byRepository(changes: readonly Change[], before: TreeSnapshot): Group[] {
  const folders = nestedIn(before).filter((at) => before.entries.get(at)?.text !== 'no repository');
  const groups = new Map(
    ['', ...folders.sort()].map((at): [string, Group] => {
      const commit = at === '' ? before.head : (before.entries.get(at)?.text ?? null);
      return [at, { at, commit: commit !== null && isCommit(commit) ? commit : null, paths: [] }];
    }),
  );
  const seen = new Set<string>();
  for (const change of changes)
    for (let name = change.path; name !== '' && !seen.has(name); ) {
      seen.add(name);
      const group = groups.get(repositoryOf(name, groups))!;
      group.paths.push(name);
      name = group.at;
    }
  return [...groups.values()].filter(({ paths }) => paths.length > 0);
}

function repositoryOf(name: string, groups: ReadonlyMap<string, Group>): string {
  for (let at = path.dirname(name); at !== '.'; at = path.dirname(at)) if (groups.has(at)) return at;
  return '';
}

/** git refuses the whole request if one path is beyond a symlink, and it does not answer for its own files. */
function canBeQueried(name: string, { entries }: TreeSnapshot): boolean {
  if (isLossy(name) || name === '.git' || name.startsWith('.git/')) return false;
  for (let at = path.dirname(name); at !== '.'; at = path.dirname(at))
    if (entries.get(at)?.kind === 'symlink') return false;
  return true;
}

async function ignoredIn(folder: string, paths: readonly string[], commit: string | null): Promise<string[] | null> {
  const written = paths.filter((name) => path.basename(name) === '.gitignore');
  const homes = written.map((name) => path.dirname(name));
  if (homes.includes('.')) return null;
  const rules = await rulesFor(folder, [...paths, ...homes]);
  if (rules === null) return null;
  const byOldRule = new Set(rules.flatMap((rule) => (rule.ignored ? [rule.path] : [])));
  // git does not read a .gitignore in a folder that is ignored completely; packages bring their own. (The query includes the
  // uppermost .gitignore that was written to, and no other written one is above it. So these patterns are old.)
  if (!homes.every((home) => byOldRule.has(home))) return null;
  const found = paths.filter((name) => byOldRule.has(name));
  if (found.length === 0) return [];
  const tracked = await trackedPaths(folder, commit);
  return tracked === null ? null : found.filter((name) => !tracked.has(name));
}
