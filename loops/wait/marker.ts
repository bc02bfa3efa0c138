// A done marker: what the file that a wrapper writes last of all says, and whose it is.

import { closeSync, readSync, statSync } from 'node:fs';
import { lookAt, openFollowed } from '../../state/disk/regular-file.ts';

export interface SaidByMarker {
  how: 'said';
  exitCode: number;
  class: string | null;
  reason: string | null;
  /** The call and the process that it speaks for, and those that this was started from; a marker of another program may not tell. */
  callId: string | null;
  pid: number | null;
  startedBy: readonly number[];
}

export type Marker =
  | { how: 'absent' }
  /** Nothing in it yet, or half a record: its writer may still be at it. */
  | { how: 'unfinished'; text: string }
  | SaidByMarker;

/** A marker need hold no more than that it is there; an exit code alone, or a record with one, says more. */
export function readMarker(file: string): Marker {
  const text = readHead(file);
  if (text === null) return { how: 'absent' };
  const said = text.trim();
  if (said === '') return { how: 'unfinished', text: said };
  if (/^-?\d+$/.test(said)) return { ...SUCCESS, exitCode: Number(said) };
  if (!said.startsWith('{')) return SUCCESS;
  try {
    return saidIn(JSON.parse(said));
  } catch {
    return { how: 'unfinished', text: said };
  }
}

export const SUCCESS: SaidByMarker = {
  how: 'said',
  exitCode: 0,
  class: null,
  reason: null,
  callId: null,
  pid: null,
  startedBy: [],
};

const saidIn = (record: Record<string, unknown>): SaidByMarker => ({
  how: 'said',
  exitCode: typeof record.exit_code === 'number' ? record.exit_code : 0,
  class: wordIn(record.class),
  reason: wordIn(record.reason),
  callId: wordIn(record.call_id),
  pid: isNumber(record.pid) ? record.pid : null,
  startedBy: Array.isArray(record.started_by) ? record.started_by.filter(isNumber) : [],
});

const wordIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/** Which file bears the name now, and when it was last written; null when none does. Two answers differ when it was written anew. */
export function versionOf(file: string): { id: string; ms: number } | null {
  const found = lookAt(file);
  return found === null ? null : { id: `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`, ms: found.mtimeMs };
}

const MAX_BYTES = 64 * 1024;

/** null when there is nothing by that name; '' for a folder or a pipe, which is a marker too. */
function readHead(file: string): string | null {
  // What cannot even be looked at (a path through a file, say) will not come: that is thrown.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile() || found.size === 0) return '';
  const fd = openOrNull(file);
  if (fd === null) return null;
  try {
    const bytes = Buffer.alloc(Math.min(found.size, MAX_BYTES));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** null for one that went since it was looked at, such as an earlier call's that its next wrapper removes. */
function openOrNull(file: string): number | null {
  try {
    return openFollowed(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
