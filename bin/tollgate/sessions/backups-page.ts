// Renders the page of tollgate sessions backups.

import path from 'node:path';
import type { Backup } from '../../../loops/session/backups.ts';
import { KEPT_BACKUPS } from '../../../policies/session/reverted-turns.ts';
import type { Sheet } from '../../sheet.ts';
import { type Column, tableLines } from '../../table.ts';
import { ageOf, clean, sizeOf } from './sessions-page.ts';

export function backupLines(backups: readonly Backup[], now: Date, sheet: Sheet): string[] {
  const [first] = backups;
  if (first === undefined) return ['no copy of a conversation is kept'];
  const rows = backups.map(({ tool, session_id, n, what, at, bytes, goes_at }) => [
    tool,
    session_id,
    String(n),
    what ?? 'cut off',
    sizeOf(bytes),
    ageOf(at, now),
    goes_at.slice(0, 10),
  ]);
  const bytes = backups.reduce((sum, each) => sum + each.bytes, 0);
  const folder = path.dirname(path.dirname(first.file));
  return [
    ...tableLines(BACKUPS, clean(rows), sheet),
    '',
    `${sizeOf(bytes)} in ${folder}/CLI.SESSION/EDIT.backup: what was said, byte for byte, with the secrets in it.`,
    `Each goes after ${KEPT_BACKUPS.days} days, with the next edit of a conversation or preflight --sweep.`,
  ];
}

const BACKUPS: readonly Column[] = [
  { heading: 'CLI' },
  { heading: 'SESSION', least: 9 },
  { heading: 'EDIT' },
  { heading: 'BEFORE IT WAS', leaveOut: 1 },
  { heading: 'SIZE' },
  { heading: 'MADE' },
  { heading: 'GOES', leaveOut: 2 },
];
