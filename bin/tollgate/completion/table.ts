// Reads all commands and flags from one file, which the build makes from the parsing tables, because a TAB must be fast.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlagRow } from '../../command-line.ts';
import type { WordKind } from './candidate.ts';

export interface CompletedCommand {
  about: string;
  /** What kind of words it takes; null for files, or for nothing that is known. */
  word: WordKind | null;
  flags: Record<string, Pick<FlagRow, 'takes' | 'about' | 'choices'>>;
}

/** The commands by name, such as `tollgate run`; {} outside of a build. */
export function completedCommands(): Record<string, CompletedCommand> {
  const folder = path.dirname(fileURLToPath(import.meta.url));
  try {
    return JSON.parse(readFileSync(path.join(folder, 'help', 'completion.json'), 'utf8'));
  } catch {
    return {};
  }
}
