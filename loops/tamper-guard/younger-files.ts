// A first look at a task that costs little: was anything that it is judged by changed since a moment?

import { lstatSync, readdirSync } from 'node:fs';

/**
 * Of a thousand tasks nearly all are as they were; whoever is told otherwise looks closely.
 * @param fromMs milliseconds since 1970.
 */
export function hasYounger(root: string, fromMs: number): boolean {
  const prompts = `${root}/inputs/prompt`;
  const hasIn = (file: string): boolean => {
    // What runs compose judges nobody.
    const found = file === prompts ? undefined : lstatSync(file, QUIET);
    if (found === undefined) return false;
    if (found.ctimeMs >= fromMs) return true;
    return found.isDirectory() && readdirSync(file).some((name) => hasIn(`${file}/${name}`));
  };
  // They may have been there until now.
  const lacksInputs = () =>
    lstatSync(`${root}/inputs`, QUIET) === undefined && (lstatSync(root, QUIET)?.ctimeMs ?? 0) >= fromMs;
  try {
    return JUDGED_BY.some((name) => hasIn(`${root}/${name}`)) || lacksInputs();
  } catch {
    // It changes at this moment, or cannot be read.
    return true;
  }
}

const JUDGED_BY = ['manifest.yaml', 'manifest.yml', 'manifest.json', 'state/stats.json', 'inputs'] as const;

const QUIET = { throwIfNoEntry: false } as const;
