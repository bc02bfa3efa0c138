// Reads a repository's root to find its languages and how it is tested, without running anything.

import path from 'node:path';
import { describeRepository, type Repository } from '../../policies/manifest/repository.ts';
import { namesIfAny } from '../disk/folder.ts';
import { readIfFit } from '../disk/regular-file.ts';

/** The limit for a file that describes how a project is built. */
const MAX_BYTES = 1024 ** 2;

export function readRepository(root: string): Repository {
  const names = new Set(namesIfAny(root));
  return describeRepository({
    has: (name) => names.has(name),
    text: (name) => (names.has(name) ? (readIfFit(path.join(root, name), MAX_BYTES) ?? '') : ''),
  });
}
