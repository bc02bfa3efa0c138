// Says whether dist/ was built from the sources as they are now. By content: in a fresh clone the times of files mean nothing.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Not packed: whoever installs the package has no sources. */
const STAMP = 'dist/sources.sha256';

const FOLDERS = ['bin', 'console', 'library', 'loops', 'policies', 'state', 'wrappers'];
const FILES = ['package.json', 'preflight.ts', ...readdirSync('.').filter((name) => /^build.*\.mjs$/.test(name))];

/** Files that editors put beside these do not count. */
const SOURCE = /^[^.].*\.(?:ts|tsx|cjs|js|css)$/;

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

/** @param sources their hash before the build began: what was changed meanwhile may not be in dist/. */
export const stampBuild = (sources) => writeFileSync(STAMP, `${sources}\n`);

/** Why dist/ must be built first; null when it is what the sources say. */
export function staleBuild() {
  if (!existsSync(STAMP)) return 'dist/ is not built';
  return readFileSync(STAMP, 'utf8').trim() === hashSources() ? null : 'dist/ was built from other sources than these';
}
