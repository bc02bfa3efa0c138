// Filters convert what git checks out and compares, by commands: those of a repository's own settings are switched off.

import type { GitRan, GitRequest } from './git.ts';

type FiltersFound = { how: 'found'; names: string[] } | { how: 'unknown'; ran: GitRan };

/**
 * The filters that the repository itself defines. Those of the user's and the system's own settings (as `git lfs install`
 * leaves them) are the user's programs, which every git of theirs runs.
 */
export const repositoryFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, OF_THE_USER);

/** Those of the user, too, which may write into the repository (`git lfs`). */
export const allFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, new Set());

async function filtersOf(git: (args: string[]) => Promise<GitRan>, apart: ReadonlySet<string>): Promise<FiltersFound> {
  const ran = await git(['config', '--null', '--show-scope', '--get-regexp', '^filter\\..*\\.(clean|smudge|process)$']);
  // It says with 1 that there are none.
  if (ran.code !== 0 && ran.code !== 1) return { how: 'unknown', ran };
  const fields = ran.stdout.split('\0');
  const names = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = /^filter\.(.*)\.[a-z]+$/.exec(fields[at + 1]!.split('\n')[0]!)?.[1];
    if (name !== undefined && !apart.has(fields[at]!)) names.add(name);
  }
  return { how: 'found', names: [...names] };
}

const OF_THE_USER = new Set(['system', 'global']);

/** A command that is empty converts nothing, and one that is not required may fail to. */
export const switchedOff = (names: readonly string[]): NonNullable<GitRequest['settings']> =>
  names.flatMap((name) =>
    (
      [
        ['clean', ''],
        ['smudge', ''],
        ['process', ''],
        ['required', 'false'],
      ] as const
    ).map(([field, value]) => [`filter.${name}.${field}`, value] as const),
  );
