// Lends the code caches of the bundles to the home of each rig; otherwise every command of every test would compile again.

import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Linked, not copied: beside the rigs, on the same disk. A test that damages a cache uses a separate cache folder. Each run of
 * a suite has its own, so that it can be removed while another suite runs.
 */
const LENT = path.join(tmpdir(), `code-caches-${path.basename(process.env.COMPILED_TESTS ?? 'alone')}`);

export const codeCaches = (home: string): string => path.join(home, '.cache/tollgate/code');

export function lendCodeCaches(home: string): void {
  for (const folder of [LENT, codeCaches(home)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  linkAll(LENT, codeCaches(home));
}

export const keepCodeCaches = (home: string): void => linkAll(codeCaches(home), LENT);

function linkAll(from: string, to: string): void {
  for (const name of namesIn(from)) {
    if (!name.endsWith('.cache')) continue;
    try {
      linkSync(path.join(from, name), path.join(to, name));
    } catch {
      // The cache exists already, or was replaced at this moment; without it a command compiles.
    }
  }
}

/** None if a test removed the folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
