// Switches off a repository's own filters: commands that convert what git checks out and compares.

import type { GitRan, GitRequest } from './run-git.ts';

type FiltersFound = { how: 'found'; names: string[] } | { how: 'unknown'; ran: GitRan };

/**
 * Returns the filters that the repository itself defines. It excludes filters in the settings of the user and the system, such as
 * those of `git lfs install`. They are the user's programs, which each git of the user runs.
 */
export const repositoryFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, OF_THE_USER);

/** Includes the user's filters, which may write into the repository (`git lfs`). */
export const allFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, new Set());

async function filtersOf(git: (args: string[]) => Promise<GitRan>, apart: ReadonlySet<string>): Promise<FiltersFound> {
  const ran = await git(['config', '--null', '--show-scope', '--get-regexp', '^filter\\..*\\.(clean|smudge|process)$']);
  // Exit code 1 means that there are none.
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

/** An empty command converts nothing, and a filter that is not required may fail. */
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
