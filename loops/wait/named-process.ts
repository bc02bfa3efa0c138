// Reads the process that the caller named: a number, or the file that the process writes when it starts.

import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { versionOf } from './marker.ts';

export type NamedPid = { number: number } | { file: string } | null;

export type NamedProcess =
  /** The caller named none. */
  | { how: 'unnamed' }
  /** Its file is not there, or still empty. */
  | { how: 'not_yet' }
  | { how: 'garbled'; message: string }
  /** `fileId` and `sinceMs`: the version of the file, and when it was written; null for a number on the command line. */
  | { how: 'named'; pid: number; fileId: string | null; sinceMs: number | null };

export function readNamed(pid: NamedPid): NamedProcess {
  if (pid === null) return { how: 'unnamed' };
  if ('number' in pid) return { how: 'named', pid: pid.number, fileId: null, sinceMs: null };
  const version = versionOf(pid.file);
  const text = textOf(pid.file);
  if (version === null || text === '') return { how: 'not_yet' };
  // A number, or a record that has one.
  const number = Number(/^(?:\{[\s\S]*?"pid"\s*:\s*)?(\d+)\b/.exec(text)?.[1] ?? 0);
  if (number === 0) return { how: 'garbled', message: `${pid.file} holds no process number` };
  return { how: 'named', pid: number, fileId: version.id, sinceMs: version.ms };
}

const textOf = (file: string): string => readFollowedIfFit(file, MAX_BYTES)?.trim() ?? '';

const MAX_BYTES = 64 * 1024;
