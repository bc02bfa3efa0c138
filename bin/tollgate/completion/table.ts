// The commands with their flags, out of the very tables by which their lines are read; the build keeps them as one file, for a TAB is waited for.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlagRow } from '../../command-line.ts';
import type { WordKind } from './candidate.ts';

export interface CompletedCommand {
  about: string;
  /** What its words are; null where they are files, or nothing that is known. */
  word: WordKind | null;
  flags: Record<string, Pick<FlagRow, 'takes' | 'about' | 'choices'>>;
}

/** By name, such as `tollgate run`; {} outside of a build. */
export function completedCommands(): Record<string, CompletedCommand> {
  const folder = path.dirname(fileURLToPath(import.meta.url));
  try {
    return JSON.parse(readFileSync(path.join(folder, 'help', 'completion.json'), 'utf8'));
  } catch {
    return {};
  }
}
