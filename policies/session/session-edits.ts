// Reads the edits ledger of a conversation's file: which edits were made to the file, and their states.

import { isTool, type Tool } from '../facts/tools.ts';
import { partOf } from '../text/json.ts';

export const EDITS_VERSION = 1;

/** `cleared`: only the last step was taken back. `redone`: what an earlier edit took back was brought back. */
export type EditKind = 'mended' | 'rolled_back' | 'cleared' | 'undone' | 'redone';

/** Identifies the bytes of a file, so that a changed file is noticed. */
export interface Version {
  bytes: number;
  sha256: string;
}

export interface KeptEdit {
  /** Turns that remain complete. */
  turns: number;
  /** Of the next turn, its prompt and this many items remain; null if its prompt was removed too. */
  items: number | null;
}

export interface EditEntry {
  n: number;
  /** ISO time. */
  at: string;
  tool: Tool;
  session_id: string;
  file: string;
  what: EditKind;
  before: Version;
  after: Version;
  /** The name of the copy of the whole file, beside the ledger; null if `before` is the beginning of `after`. */
  backup: string | null;
  turns: number;
  kept_turns: number;
  kept_items: number | null;
  reverted_turns: number;
  /** `redone`: the number of the edit that was brought back. */
  of?: number;
  task?: string;
  feature?: string;
}

/** `planned`: the edit was about to be made; only the file shows whether it was. `dropped`: its backup was deleted. */
type EditLine =
  | ({ schema: number; state: 'planned' } & EditEntry)
  | { schema: number; state: 'made' | 'failed' | 'dropped'; n: number; at: string };

type EditState = 'planned' | 'made' | 'failed';

export interface KnownEdit extends EditEntry {
  state: EditState;
  /** Whether its backup still exists. */
  isKept: boolean;
}

/** @param lines in their order; lines of an unknown shape are skipped. */
export function foldEdits(lines: readonly unknown[]): KnownEdit[] {
  const edits = new Map<number, KnownEdit>();
  for (const line of lines) {
    if (!isLine(line)) continue;
    if (line.state === 'planned') {
      const { schema: _, ...entry } = line;
      edits.set(line.n, { ...entry, isKept: line.backup !== null });
      continue;
    }
    const edit = edits.get(line.n);
    if (edit === undefined) continue;
    if (line.state === 'dropped') edit.isKept = false;
    else edit.state = line.state;
  }
  return [...edits.values()];
}

const isLine = (line: unknown): line is EditLine => {
  const { state, n, at } = partOf(line) ?? {};
  if (typeof n !== 'number' || typeof at !== 'string') return false;
  return state === 'planned'
    ? isEntry(line as EditEntry)
    : state === 'made' || state === 'failed' || state === 'dropped';
};

const isEntry = (entry: EditEntry): boolean =>
  isTool(entry.tool) &&
  typeof entry.what === 'string' &&
  isVersion(entry.before) &&
  isVersion(entry.after) &&
  (entry.backup === null || (typeof entry.backup === 'string' && BACKUP.test(entry.backup))) &&
  [entry.turns, entry.kept_turns, entry.reverted_turns].every(Number.isSafeInteger) &&
  (entry.kept_items === null || Number.isSafeInteger(entry.kept_items));

/** The names of backups: the number of the edit, and the extension of the original file. */
export const BACKUP = /^\d+\.backup(?:\.jsonl?)?$/;

function isVersion(version: unknown): boolean {
  const { bytes, sha256 } = partOf(version) ?? {};
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string';
}
