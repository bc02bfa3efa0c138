// Checks cheaply whether any judge file of a task changed since a given time.

import { lstatSync, readdirSync, type Stats } from 'node:fs';

/**
 * Nearly all of a thousand tasks are unchanged. If the result is true, the caller examines the task closely.
 * @param fromMs milliseconds since 1970.
 */
export function hasYounger(root: string, fromMs: number): boolean {
  const inputs = `${root}/inputs`;
  const prompts = `${inputs}/prompt`;
  const hasIn = (file: string, found: Stats | undefined): boolean => {
    if (found === undefined) return false;
    if (found.ctimeMs >= fromMs) return true;
    // Prompts are composed by runs, so they are not judge files.
    const isWithin = (name: string) => {
      const each = `${file}/${name}`;
      return each !== prompts && hasIn(each, lstatSync(each, QUIET));
    };
    return found.isDirectory() && readdirSync(file).some(isWithin);
  };
  try {
    const found = lstatSync(inputs, QUIET);
    // The inputs may have existed until now.
    if (found === undefined && (lstatSync(root, QUIET)?.ctimeMs ?? 0) >= fromMs) return true;
    return (
      hasIn(inputs, found) || JUDGED_BY.some((name) => hasIn(`${root}/${name}`, lstatSync(`${root}/${name}`, QUIET)))
    );
  } catch {
    // A file changes at this moment, or cannot be read.
    return true;
  }
}

const JUDGED_BY = ['manifest.yaml', 'manifest.yml', 'manifest.json', 'state/stats.json'] as const;

const QUIET = { throwIfNoEntry: false } as const;
