// Renders the pages of tollgate sessions, with the one of its backups.

import path from 'node:path';
import type { KnownSession, listAdoptable } from '../../../loops/session/adopt.ts';
import type { Backup } from '../../../loops/session/backups.ts';
import type { Tool } from '../../../policies/facts/tools.ts';
import { KEPT_BACKUPS } from '../../../policies/session/reverted-turns.ts';
import type { SessionEntry } from '../../../policies/session/session-entry.ts';
import { counted, figure, shellWord, visible } from '../../../policies/text/display.ts';
import { ago, whenWords } from '../../from-here.ts';
import { coloursOf, type Sheet } from '../../sheet.ts';
import { type Column, labelLines, tableLines } from '../../table.ts';
import { timeCell } from '../task-cells.ts';

export function sessionLines(sessions: readonly KnownSession[], now: Date, sheet: Sheet): string[] {
  if (sessions.length === 0)
    return ['no session is kept; `tollgate sessions adopt --list` shows those that a tag can adopt'];
  const rows = sessions.map(({ tag, tool, entry, bytes, health }) => [
    tag,
    loginOf(tool, entry),
    ago(entry.last_used, now).replace(/ ago$/, ''),
    bytes === null ? '-' : sizeOf(bytes),
    entry.context_tokens === null ? '-' : figure(entry.context_tokens),
    entry.error_count === 0 ? '-' : counted(entry.error_count, 'error'),
    entry.poisoned !== undefined ? 'not continued' : health === 'unknown' ? '-' : health,
    entry.session_id,
  ]);
  return tableLines(SESSIONS, clean(rows), sheet);
}

const loginOf = (tool: Tool, { account }: SessionEntry): string =>
  account === undefined ? tool : `${tool} (${account})`;

const SESSIONS: readonly Column[] = [
  { heading: 'TAG', least: 12, isWhole: true },
  { heading: 'CLI' },
  { heading: 'AGE', leaveOut: 2 },
  { heading: 'SIZE', leaveOut: 4, isOptional: true },
  { heading: 'TOKENS', leaveOut: 3, isOptional: true },
  { heading: 'ERRORS', leaveOut: 1, isOptional: true, paint: (cell) => (cell === '-' ? null : 'yellow') },
  {
    heading: 'HEALTH',
    least: 10,
    isOptional: true,
    paint: (cell) => (cell === 'well-formed' ? 'green' : cell === '-' ? null : 'yellow'),
  },
  { heading: 'SESSION', paint: () => 'dim' },
];

export const detailLines = (sessions: readonly KnownSession[], now: Date, { ink }: Sheet): string[] =>
  sessions.flatMap(({ tag, tool, entry, file, bytes, turns, health }, i) => {
    const gone = `not found; ${tool} deleted it, or keeps it in another home: no run can continue it from here`;
    const tokens = entry.context_tokens === null ? '' : `${figure(entry.context_tokens)} in its context; `;
    const rows: [label: string, text: string | null][] = [
      ['last used', `${whenWords(entry.last_used, now)}, in ${entry.cwd}`],
      ['file', file === null ? gone : `${file} (${sizeOf(bytes)})`],
      ['turns', turns === null ? null : String(turns)],
      ['tokens', `${tokens}${figure(entry.total_tokens)} in all`],
      ['errors', entry.error_count === 0 ? null : `${entry.error_count} in a row`],
      ['health', file === null ? null : health],
      ['stopped', entry.poisoned === undefined ? null : `not continued: ${entry.poisoned}`],
      [
        'next',
        file === null
          ? `begin a fresh one: \`tollgate sessions forget ${shellWord(tag)}\``
          : `read it: \`tollgate history ${entry.session_id}\``,
      ],
    ];
    const shown = rows.flatMap(([label, text]) => (text === null ? [] : [[label, visible(text)] as const]));
    const head = coloursOf(ink).bold(visible(`${tag}: ${loginOf(tool, entry)} ${entry.session_id}`));
    return [...(i === 0 ? [] : ['']), head, ...labelLines(shown, ink)];
  });

export function adoptableLines(
  sessions: Awaited<ReturnType<typeof listAdoptable>>['sessions'],
  now: Date,
  sheet: Sheet,
): string[] {
  if (sessions.length === 0) return ['no session of the last 7 days'];
  const rows = sessions.map(({ tool, id, when, title }) => [
    tool,
    id,
    timeCell(when, now, sheet),
    title.replace(/\s+/g, ' ').slice(0, 100),
  ]);
  // A user must be able to type the id.
  return tableLines(ADOPTABLE, clean(rows), sheet);
}

const ADOPTABLE: readonly Column[] = [
  { heading: 'CLI' },
  { heading: 'SESSION' },
  { heading: 'USED', leaveOut: 1 },
  { heading: 'TITLE', least: 10 },
];

const clean = (rows: readonly string[][]): string[][] => rows.map((cells) => cells.map((cell) => visible(cell)));

function sizeOf(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export function backupLines(backups: readonly Backup[], now: Date, sheet: Sheet): string[] {
  const [first] = backups;
  if (first === undefined) return ['no copy of a conversation is kept'];
  const rows = backups.map(({ tool, session_id, n, what, at, bytes, goes_at }) => [
    tool,
    session_id,
    String(n),
    what ?? 'cut off',
    sizeOf(bytes),
    ago(at, now),
    goes_at.slice(0, 10),
  ]);
  const bytes = backups.reduce((sum, each) => sum + each.bytes, 0);
  const folder = path.dirname(path.dirname(first.file));
  return [
    ...tableLines(BACKUPS, clean(rows), sheet),
    '',
    `${sizeOf(bytes)} in ${folder}/CLI.SESSION/EDIT.backup: what was said, byte for byte, with the secrets in it.`,
    `Each goes after ${KEPT_BACKUPS.days} days, with the next edit of a conversation or tollgate preflight --sweep.`,
  ];
}

const BACKUPS: readonly Column[] = [
  { heading: 'CLI' },
  { heading: 'SESSION' },
  { heading: 'EDIT' },
  { heading: 'BEFORE IT WAS', leaveOut: 1 },
  { heading: 'SIZE' },
  { heading: 'MADE' },
  { heading: 'GOES', leaveOut: 2 },
];
