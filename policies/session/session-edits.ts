// What we did to a conversation's file: the lines of its edits ledger, and what they come to.

import { isTool, type Tool } from '../facts/tools.ts';

export const EDITS_VERSION = 1;

/** `cleared`: the last step alone was taken back. `redone`: what an earlier edit took back was brought back. */
export type EditKind = 'mended' | 'rolled_back' | 'cleared' | 'undone' | 'redone';

/** A file's bytes, so that nothing else is taken for them. */
export interface Version {
  bytes: number;
  sha256: string;
}

/** What of the conversation stands after an edit. */
export interface KeptEdit {
  /** Turns that stand whole. */
  turns: number;
  /** Of the next turn: its prompt and so many items; null where it went as well. */
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
  /** Beside the ledger, the whole file as it was; null where `before` is the beginning of `after`. */
  backup: string | null;
  /** How many turns stood before it. */
  turns: number;
  kept_turns: number;
  kept_items: number | null;
  reverted_turns: number;
  /** `redone`: the number of the edit that it brought back. */
  of?: number;
  task?: string;
  feature?: string;
}

/** `planned`: it was about to be made; what came of it, only the file can tell. `dropped`: its backup was deleted. */
type EditLine =
  | ({ schema: number; state: 'planned' } & EditEntry)
  | { schema: number; state: 'made' | 'failed' | 'dropped'; n: number; at: string };

export type EditState = 'planned' | 'made' | 'failed';

export interface KnownEdit extends EditEntry {
  state: EditState;
  /** Is its backup still there to be read? */
  isKept: boolean;
}

/** @param lines in their order; what is no line of a known shape is left out. */
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
  const { state, n, at } = (line ?? {}) as Partial<EditLine>;
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

/** The names of backups: the number of the edit, and the end of the file's own name. */
export const BACKUP = /^\d+\.backup(?:\.jsonl?)?$/;

const isVersion = (version: Partial<Version> | null): boolean =>
  Number.isSafeInteger(version?.bytes) && typeof version?.sha256 === 'string';
