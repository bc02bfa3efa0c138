// Finds where claude keeps the user's data.

import path from 'node:path';
import { lookAt, readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { homeOf } from '../home.ts';

interface ClaudeHome {
  /** `$CLAUDE_CONFIG_DIR`, or `.claude` in the home: settings, credentials, sessions. */
  folder: string;
  /** What it stores about the user and each project, including trust. */
  memory: string;
}

/** @returns null if there is no home. */
export function claudeHome(environment: NodeJS.ProcessEnv): ClaudeHome | null {
  const own = environment.CLAUDE_CONFIG_DIR;
  if (own) return { folder: own, memory: path.join(own, '.claude.json') };
  const home = homeOf(environment);
  return home === null ? null : { folder: path.join(home, '.claude'), memory: path.join(home, '.claude.json') };
}

/** It grows with each project and prompt: files of 50 MB are known. */
const MAX_MEMORY_BYTES = 128 * 1024 * 1024;

/** Its text; null if it cannot be read or is larger than the limit. */
export const readMemory = ({ memory }: ClaudeHome): string | null => readFollowedIfFit(memory, MAX_MEMORY_BYTES);

/** Half a sentence that explains why an existing file is not read; null for a size within the limit. */
export function memoryMistake({ memory }: ClaudeHome): string | null {
  const size = lookAt(memory)?.size ?? 0;
  return size <= MAX_MEMORY_BYTES
    ? null
    : `${memory} has ${size} bytes, and at most ${MAX_MEMORY_BYTES} are read; move it aside, and claude starts a new one`;
}
