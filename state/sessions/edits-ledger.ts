// Records the edits of one session file in the user's own state, with a backup of the file before each.

import { closeSync, constants, fdatasyncSync, fstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import {
  BACKUP,
  EDITS_VERSION,
  type EditEntry,
  foldEdits,
  type KnownEdit,
} from '../../policies/session/session-edits.ts';
import { tried } from '../../policies/text/tried.ts';
import { appendLine, naming, syncFolder } from '../append-line.ts';
import { makeFolders, namesIn } from '../disk/folder.ts';
import { kindOf, openRegular, readRegularOrNull, UnfitFileError } from '../disk/regular-file.ts';
import { findEscapingLink, userState } from '../task-folder.ts';

export interface EditsLedger {
  folder: string;
  file: string;
}

type LedgerRead = { how: 'read'; edits: KnownEdit[] } | { how: 'invalid'; why: string };

/** @returns null for a user without a home. Makes no folder. */
export function editsLedger(tool: Tool, sessionId: string, environment: NodeJS.ProcessEnv): EditsLedger | null {
  const root = userState(environment);
  // An id is a part of a path here, and it comes from a file.
  if (root === null || !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(sessionId)) return null;
  const folder = path.join(root, CONVERSATIONS, `${tool}.${sessionId}`);
  return { folder, file: path.join(folder, 'edits.jsonl') };
}

/** The ledgers of every session that was ever edited. Throws the operating system's error if a folder cannot be read. */
export function allLedgers(environment: NodeJS.ProcessEnv): { tool: Tool; sessionId: string; ledger: EditsLedger }[] {
  const root = userState(environment);
  if (root === null) return [];
  return namesIn(path.join(root, CONVERSATIONS)).flatMap((name) => {
    const [tool = '', ...rest] = name.split('.');
    const sessionId = rest.join('.');
    const ledger = isTool(tool) ? editsLedger(tool, sessionId, environment) : null;
    return ledger === null || strayOf(ledger) !== null ? [] : [{ tool: tool as Tool, sessionId, ledger }];
  });
}

/** The existing backups, including one whose edit was never recorded. */
export const backupFiles = ({ folder }: EditsLedger): string[] => namesIn(folder).filter((name) => BACKUP.test(name));

/** All edits ever recorded; none if there is no ledger. */
export function readEdits(ledger: EditsLedger): LedgerRead {
  const stray = strayOf(ledger);
  if (stray !== null) return { how: 'invalid', why: stray };
  let text: string | null;
  try {
    text = readRegularOrNull(ledger.file);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
    return { how: 'invalid', why: strange(error.message) };
  }
  const lines = (text ?? '').split('\n').map(parse);
  const newer = lines.find((line) => Number((line as { schema?: unknown } | null)?.schema) > EDITS_VERSION);
  if (newer !== undefined)
    return { how: 'invalid', why: `a newer version wrote ${ledger.file}; update tollgate (nothing was changed)` };
  return { how: 'read', edits: foldEdits(lines) };
}

/** Makes its folder; throws what the operating system throws. @returns what forbids it, or null. */
export function makeLedger(ledger: EditsLedger): string | null {
  const stray = strayOf(ledger);
  if (stray !== null) return stray;
  const made = makeFolders(ledger.folder);
  if (made !== undefined) syncUpTo(path.dirname(made), ledger.folder);
  const kind = kindOf(ledger.file) ?? FILE;
  return kind === FILE ? null : strange(`${ledger.file} is ${kind}, and no regular file`);
}

export const planEdit = (ledger: EditsLedger, entry: EditEntry): void =>
  append(ledger, { schema: EDITS_VERSION, state: 'planned', ...entry });

export const settleEdit = (ledger: EditsLedger, n: number, state: 'made' | 'failed' | 'dropped', at: Date): void =>
  append(ledger, { schema: EDITS_VERSION, state, n, at: at.toISOString() });

/** Its name ends as the file's own does, because the ending shows its format. */
export const backupName = (n: number, file: string): string => `${n}.backup${/\.jsonl?$/.exec(file)?.[0] ?? ''}`;

/** The ledger line is written before the backup is deleted, so no unrecorded backup is lost. */
export function dropBackup(ledger: EditsLedger, { n, backup }: EditEntry, at: Date): void {
  if (backup === null) return;
  settleEdit(ledger, n, 'dropped', at);
  rmSync(path.join(ledger.folder, backup), { force: true });
}

const CONVERSATIONS = 'conversations';
const FILE = 'a regular file';
const { O_APPEND, O_CREAT, O_RDWR } = constants;

const strayOf = ({ folder }: EditsLedger): string | null => {
  const root = path.dirname(path.dirname(folder));
  return (
    findEscapingLink(path.dirname(root), [path.basename(root)]) ??
    findEscapingLink(root, [CONVERSATIONS, `${CONVERSATIONS}/${path.basename(folder)}`])
  );
};

function append(ledger: EditsLedger, line: object): void {
  const fd = openRegular(ledger.file, O_RDWR | O_APPEND | O_CREAT);
  try {
    const isNew = fstatSync(fd).size === 0;
    appendLine(fd, ledger.file, line);
    naming(ledger.file, () => fdatasyncSync(fd));
    if (isNew) syncFolder(ledger.folder);
  } finally {
    closeSync(fd);
  }
}

/** Syncs the entries of all folders that were made: a backup that cannot be found after a power loss is useless. */
function syncUpTo(last: string, folder: string): void {
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    syncFolder(at);
    if (at === last || at === path.dirname(at)) return;
  }
}

const strange = (what: string) => `${what}; put it elsewhere`;

const parse = (line: string): unknown => tried(() => JSON.parse(line));
