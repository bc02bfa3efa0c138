// Reads a done marker: the file that a wrapper writes last, with its exit code and its call.

import { type Stats, statSync } from 'node:fs';
import { lookAt, readFollowedHead } from '../../state/disk/regular-file.ts';

export interface SaidByMarker {
  how: 'said';
  exitCode: number;
  class: string | null;
  reason: string | null;
  /** The call, its process, and the ancestors of that process. A marker of another program may lack them. */
  callId: string | null;
  pid: number | null;
  startedBy: readonly number[];
}

/** It is empty or holds half a record: its writer may not have finished. */
interface UnfinishedMarker {
  how: 'unfinished';
  text: string;
}

export type Marker = { how: 'absent' } | UnfinishedMarker | SaidByMarker;

/** An empty marker means success. It may also hold an exit code, or a record with one. */
export const readMarker = (file: string): Marker => readVersion(file)?.marker ?? { how: 'absent' };

/** The same, with the identity of the file that was read; null for none. */
export function readVersion(file: string): { marker: UnfinishedMarker | SaidByMarker; version: MarkerVersion } | null {
  const head = readHead(file);
  return head === null ? null : { marker: markerIn(head.text.trim()), version: versionIn(head.look) };
}

function markerIn(said: string): UnfinishedMarker | SaidByMarker {
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

/** Identifies one version of a file. It changes when the file is written again. */
interface MarkerVersion {
  id: string;
  ms: number;
}

/** null when there is no file. */
export function versionOf(file: string): MarkerVersion | null {
  const found = lookAt(file);
  return found === null ? null : versionIn(found);
}

const versionIn = ({ dev, ino, size, mtimeMs }: Stats): MarkerVersion => ({
  id: `${dev}:${ino}:${size}:${mtimeMs}`,
  ms: mtimeMs,
});

const MAX_BYTES = 64 * 1024;

/** null when there is no file; '' for a folder or a pipe, which is a marker too. */
function readHead(file: string): { text: string; look: Stats } | null {
  // A path that can never exist, such as one through a file, throws.
  const look = statSync(file, { throwIfNoEntry: false });
  if (look === undefined) return null;
  if (!look.isFile() || look.size === 0) return { text: '', look };
  try {
    const head = readFollowedHead(file, MAX_BYTES);
    return { text: head.bytes.toString(), look: head.look };
  } catch (error) {
    // It was removed since, as the next wrapper does with the marker of an earlier call.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
