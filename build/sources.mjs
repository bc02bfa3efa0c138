// Checks whether dist/ was built from the current sources, by their content: the times of files mean nothing in a fresh clone.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** It is not packed, since an installed package has no sources. */
const STAMP = 'dist/sources.sha256';

const FOLDERS = ['bin', 'build', 'console', 'fleet', 'library', 'loops', 'policies', 'state', 'wrappers'];
const FILES = ['package.json', 'preflight.ts'];

/** Files of editors beside these do not count. */
const SOURCE = /^[^.].*\.(?:ts|tsx|cjs|mjs|js|css)$/;

export function hashSources() {
  const hash = createHash('sha256');
  const within = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => SOURCE.test(path.basename(name)))
      .map((name) => path.join(folder, name)),
  );
  for (const file of [...FILES, ...within].sort()) {
    const bytes = readFileSync(file);
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/** @param sources their hash before the build began, since a later change may not be in dist/. */
export const stampBuild = (sources) => writeFileSync(STAMP, `${sources}\n`);

/** Why dist/ must be built first; null if it is current. */
export function staleBuild() {
  if (!existsSync(STAMP)) return 'dist/ is not built';
  return readFileSync(STAMP, 'utf8').trim() === hashSources() ? null : 'dist/ was built from other sources than these';
}
