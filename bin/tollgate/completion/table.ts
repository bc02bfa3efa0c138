// Reads all commands and flags from one file, which the build makes from the parsing tables, because a TAB must be fast.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlagRow } from '../../command-line.ts';

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

export interface Candidate {
  word: string;
  /** One line; may be ''. */
  about: string;
}

/** What kind of words a command takes; a list contains the possible first words. */
type WordKind = 'task' | 'session' | 'tool' | readonly string[];
