// Which of the changed paths git ignores, judged so that no stage can hide its changes by what it writes.

import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { rulesFor, trackedPaths } from './git.ts';
import { isCommit } from './git-place.ts';
import { isLossy } from './names.ts';
import { nestedIn, type TreeSnapshot } from './snapshot.ts';

/**
 * A path is ignored if a pattern says so that stood there before, and if it is tracked neither now nor in the commit of
 * before. Once a stage has written to what decides (a `.gitignore` that git reads, `.git/info/exclude`, the settings), or
 * when git cannot say, nothing is ignored. Not seen: a file that was tracked without ever being committed, matches a
 * pattern, and is taken out of the index by the stage.
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
    const asked = within.filter((_, i) => canBeAsked(paths[i]!, after));
    const found = ignored.has(at) ? within : await ignoredIn(path.join(before.root, at), asked, commit);
    if (found === null) return none;
    for (const name of found) ignored.add(at === '' ? name : `${at}/${name}`);
  }
  return ignored;
}

interface Group {
  /** The repository's folder, relative to the root; '' is the root's own. */
  at: string;
  commit: string | null;
  /** Changed paths in it, and the nested repositories in it that have some. */
  paths: string[];
}

/** Patterns hold within one repository; those above come first. A repository that the stage made has no say. */
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

/** git refuses to speak of anything when one path lies beyond a symlink; and it has no word on its own files. */
function canBeAsked(name: string, { entries }: TreeSnapshot): boolean {
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
  // git does not read a .gitignore in a folder that is ignored as a whole: packages bring theirs. (The uppermost one that
  // was written to is asked about too, and no other that was stands above it: so these are old patterns.)
  if (!homes.every((home) => byOldRule.has(home))) return null;
  const found = paths.filter((name) => byOldRule.has(name));
  if (found.length === 0) return [];
  const tracked = await trackedPaths(folder, commit);
  return tracked === null ? null : found.filter((name) => !tracked.has(name));
}
