// Looks at the root of a repository for what it is written in and how it is tested; nothing of it is run.

import path from 'node:path';
import { describeRepository, type Repository } from '../../policies/manifest/repository.ts';
import { namesIfAny } from '../disk/folder.ts';
import { readIfFit } from '../disk/regular-file.ts';

/** A file that says how a project is built is no larger. */
const MAX_BYTES = 1024 ** 2;

export function readRepository(root: string): Repository {
  const names = new Set(namesIfAny(root));
  return describeRepository({
    has: (name) => names.has(name),
    text: (name) => (names.has(name) ? (readIfFit(path.join(root, name), MAX_BYTES) ?? '') : ''),
  });
}
