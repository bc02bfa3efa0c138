// Lists the backups of conversations that undo and repair use, and deletes those that are too old.

import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { agedBackups, isForSweep, KEPT_BACKUPS, oldestKept } from '../../policies/session/reverted-turns.ts';
import type { EditKind } from '../../policies/session/session-edits.ts';
import { sight } from '../../state/compare-and-swap-file.ts';
import { allLedgers, backupFiles, dropBackup, type EditsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';

export interface Backup {
  tool: Tool;
  session_id: string;
  /** The number of the edit that it was made for. */
  n: number;
  /** null if a crash came between the copy and its edit. */
  what: EditKind | null;
  /** The ISO time at which it was made, and the earliest time of its deletion by age. */
  at: string;
  goes_at: string;
  bytes: number;
  file: string;
}

/** Returns all backups in the user's state, the newest first. Changes nothing. Throws the errors of the operating system. */
export function allBackups(environment: NodeJS.ProcessEnv): Backup[] {
  const found = allLedgers(environment).flatMap(({ tool, sessionId, ledger }) => {
    const read = readEdits(ledger);
    const edits = read.how === 'read' ? read.edits : [];
    return backupFiles(ledger).flatMap((name) => {
      const seen = sight(path.join(ledger.folder, name));
      if (seen === null) return [];
      const edit = edits.find(({ backup }) => backup === name);
      const at = edit?.at ?? new Date(seen.changedAtMs).toISOString();
      const goes_at = new Date(Date.parse(at) + KEPT_BACKUPS.days * DAY_MS).toISOString();
      const { file, bytes } = seen;
      return [
        {
          tool,
          session_id: sessionId,
          n: Number.parseInt(name, 10),
          what: edit?.what ?? null,
          at,
          goes_at,
          bytes,
          file,
        },
      ];
    });
  });
  return found.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

const DAY_MS = 86_400_000;

/**
 * Deletes the backups that are too old. Throws the errors of the operating system.
 * @param where `rested`: only of sessions without a recent edit, because the others do this at their own next edit. Spares a
 * backup that looks so old that the clock may be wrong.
 * @returns the deleted files.
 */
export function dropAged(environment: NodeJS.ProcessEnv, now: Date, where: 'everywhere' | 'rested'): string[] {
  return allLedgers(environment).flatMap(({ ledger }) =>
    where === 'rested' && !hasRested(ledger, now) ? [] : dropIn(ledger, now, where),
  );
}

function dropIn(ledger: EditsLedger, now: Date, where: 'everywhere' | 'rested'): string[] {
  const isSpared = (at: Date) => where === 'rested' && isForSweep(at, now);
  const names = backupFiles(ledger);
  if (names.length === 0) return [];
  const read = readEdits(ledger);
  // An unreadable ledger may be from a newer version, so its backups remain.
  if (read.how === 'invalid') return [];
  const { edits } = read;
  const aged = agedBackups(edits, now).filter(({ backup, at }) => names.includes(backup!) && !isSpared(new Date(at)));
  for (const edit of aged) dropBackup(ledger, edit, now);
  const isNoted = (name: string) => edits.some(({ backup, isKept }) => isKept && backup === name);
  // A crash came between the copy and its line.
  const strays = names.filter(
    (name) => !isNoted(name) && isOld(ledger, name, now) && !isSpared(changedAt(ledger, name)),
  );
  for (const name of strays) rmSync(path.join(ledger.folder, name), { force: true });
  return [...aged.map(({ backup }) => backup!), ...strays].map((name) => path.join(ledger.folder, name));
}

const isOld = (ledger: EditsLedger, name: string, now: Date): boolean =>
  changedAt(ledger, name).getTime() < oldestKept(now).getTime();

/** A path that is not a file (any more) counts as the newest. */
const changedAt = ({ folder }: EditsLedger, name: string): Date =>
  new Date(sight(path.join(folder, name))?.changedAtMs ?? 8.64e15);

function hasRested({ file }: EditsLedger, now: Date): boolean {
  const changedAtMs = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedAtMs < oldestKept(now).getTime();
}
