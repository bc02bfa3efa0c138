// A done marker: what the file that a wrapper writes last of all says.

import { closeSync, openSync, readSync, statSync } from 'node:fs';

export type Marker =
  | { how: 'absent' }
  /** Nothing in it yet, or half a record: its writer may still be at it. */
  | { how: 'unfinished'; text: string }
  | { how: 'said'; exitCode: number; class: string | null; reason: string | null };

/** A marker need hold no more than that it is there; an exit code alone, or a record with one, says more. */
export function readMarker(file: string): Marker {
  const text = readHead(file);
  if (text === null) return { how: 'absent' };
  const said = text.trim();
  if (said === '') return { how: 'unfinished', text: said };
  if (/^-?\d+$/.test(said)) return { how: 'said', exitCode: Number(said), class: null, reason: null };
  if (!said.startsWith('{')) return SUCCESS;
  try {
    const record = JSON.parse(said) as Record<string, unknown>;
    const exitCode = typeof record.exit_code === 'number' ? record.exit_code : 0;
    return { how: 'said', exitCode, class: wordIn(record.class), reason: wordIn(record.reason) };
  } catch {
    return { how: 'unfinished', text: said };
  }
}

export const SUCCESS = { how: 'said', exitCode: 0, class: null, reason: null } as const satisfies Marker;

const wordIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

const MAX_BYTES = 64 * 1024;

/** null when there is nothing by that name; '' for a folder or a pipe, which is a marker too. */
function readHead(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile() || found.size === 0) return '';
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(found.size, MAX_BYTES));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}
