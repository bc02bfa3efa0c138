// The byte copies of conversations that stand behind undo and repair: which there are, and that none is kept for ever.

import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { agedBackups, isForSweep, KEPT_BACKUPS, oldestKept } from '../../policies/session/kept-backups.ts';
import type { EditKind } from '../../policies/session/session-edits.ts';
import { sight } from '../../state/compare-and-swap-file.ts';
import { allLedgers, backupFiles, dropBackup, type EditsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';

export interface Backup {
  tool: Tool;
  session_id: string;
  /** Of the edit before which it was made. */
  n: number;
  /** null where a crash came between the copy and its edit. */
  what: EditKind | null;
  /** ISO time at which it was made, and the first at which it may be deleted for its age. */
  at: string;
  goes_at: string;
  bytes: number;
  file: string;
}

/** All that lie in the user's state, the newest first. Changes nothing. Throws what the operating system throws. */
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
 * Deletes those that are too old. Throws what the operating system throws.
 * @param where `rested`: only of sessions that nothing was done to meanwhile, for the others tell with their own next edit;
 * and of those what does not look so old that the clock may be wrong.
 * @returns the files that went.
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
  // What a newer version wrote down is for that to judge.
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

/** What is no file (any more) is as new as can be. */
const changedAt = ({ folder }: EditsLedger, name: string): Date =>
  new Date(sight(path.join(folder, name))?.changedAtMs ?? 8.64e15);

function hasRested({ file }: EditsLedger, now: Date): boolean {
  const changedAtMs = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedAtMs < oldestKept(now).getTime();
}
