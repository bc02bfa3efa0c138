// The pages of tollgate sessions, for people.

import type { Adoptable } from '../../loops/session/adoptable.ts';
import type { KnownSession } from '../../loops/session/known-sessions.ts';

export function sessionLines(sessions: readonly KnownSession[], now: Date): string[] {
  if (sessions.length === 0) return ['no session is kept'];
  const rows = sessions.map(({ tag, tool, entry, bytes, health }) => [
    tag,
    tool,
    entry.session_id,
    sizeOf(bytes),
    entry.context_tokens === null ? 'context unknown' : `${entry.context_tokens} tokens`,
    ageOf(entry.last_used, now),
    entry.error_count === 0 ? 'no errors' : `${entry.error_count} ${entry.error_count === 1 ? 'error' : 'errors'}`,
    entry.poisoned === undefined ? health : 'not gone on with',
  ]);
  return inColumns([['TAG', 'CLI', 'SESSION', 'SIZE', 'CONTEXT', 'USED', 'ERRORS', 'HEALTH'], ...rows]);
}

export const detailLines = (sessions: readonly KnownSession[], now: Date): string[] =>
  sessions.flatMap(({ tag, tool, entry, file, bytes, turns, health }) => [
    `${tag}: ${tool} ${entry.session_id}`,
    `  file: ${file ?? 'unknown'} (${sizeOf(bytes)})`,
    `  turns: ${turns ?? 'unknown'}`,
    `  context: ${entry.context_tokens ?? 'unknown'} tokens; in all ${entry.total_tokens}`,
    `  last used: ${entry.last_used} (${ageOf(entry.last_used, now)}), in ${entry.cwd}`,
    `  errors in a row: ${entry.error_count}`,
    `  health: ${health}`,
    ...(entry.poisoned === undefined ? [] : [`  not gone on with: ${entry.poisoned}`]),
  ]);

export function adoptableLines(sessions: readonly Adoptable[]): string[] {
  if (sessions.length === 0) return ['no session of the last 7 days'];
  return inColumns(
    sessions.map(({ tool, id, when, title }) => [tool, id, when, title.replace(/\s+/g, ' ').slice(0, 100)]),
  );
}

function inColumns(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}

function sizeOf(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

const UNITS: [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function ageOf(at: string, now: Date): string {
  const ms = now.getTime() - Date.parse(at);
  for (const [name, each] of UNITS) {
    const count = Math.floor(ms / each);
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
