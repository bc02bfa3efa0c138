// A first look at a task that costs little: was anything that it is judged by changed since a moment?

import { lstatSync, readdirSync, type Stats } from 'node:fs';

/**
 * Of a thousand tasks nearly all are as they were; whoever is told otherwise looks closely.
 * @param fromMs milliseconds since 1970.
 */
export function hasYounger(root: string, fromMs: number): boolean {
  const inputs = `${root}/inputs`;
  const prompts = `${inputs}/prompt`;
  const hasIn = (file: string, found: Stats | undefined): boolean => {
    if (found === undefined) return false;
    if (found.ctimeMs >= fromMs) return true;
    // What runs compose judges nobody.
    const isWithin = (name: string) => {
      const each = `${file}/${name}`;
      return each !== prompts && hasIn(each, lstatSync(each, QUIET));
    };
    return found.isDirectory() && readdirSync(file).some(isWithin);
  };
  try {
    const found = lstatSync(inputs, QUIET);
    // They may have been there until now.
    if (found === undefined && (lstatSync(root, QUIET)?.ctimeMs ?? 0) >= fromMs) return true;
    return (
      hasIn(inputs, found) || JUDGED_BY.some((name) => hasIn(`${root}/${name}`, lstatSync(`${root}/${name}`, QUIET)))
    );
  } catch {
    // It changes at this moment, or cannot be read.
    return true;
  }
}

const JUDGED_BY = ['manifest.yaml', 'manifest.yml', 'manifest.json', 'state/stats.json'] as const;

const QUIET = { throwIfNoEntry: false } as const;
