// Defines what a wait looks at and how it ended, and reads a done marker: the file that a wrapper writes last.

import { type Stats, statSync } from 'node:fs';
import { lookAt, readFollowedHead } from '../../state/disk/regular-file.ts';

/** One call or task that is waited for. */
export interface Awaited {
  label: string;
  /** A change of one of these files is worth a look. Neither the file nor its folder need exist. */
  files: readonly string[];
  /** Cheap. It never throws because of what it finds. The last look accepts what is there. */
  look(when?: 'now' | 'at_last'): AwaitedLook;
  /** What is missing, for the message of a wait that timed out. */
  lacking: string;
}

export type AwaitedLook =
  | { how: 'settled'; outcome: WaitOutcome }
  /** Look again on a change only, or also by the clock: a process has to end, or a writer to finish. */
  | { how: 'pending'; next: 'on_change' | 'by_the_clock' };

export const settled = (outcome: WaitOutcome): AwaitedLook => ({ how: 'settled', outcome });
export const pending = (next: 'on_change' | 'by_the_clock'): AwaitedLook => ({ how: 'pending', next });

/** A marker, or the end of a run, that was there before the wait began. */
interface Earlier {
  /** The call or the run; null where the marker does not name it. */
  callId: string | null;
  /** ISO time. */
  at: string;
}

export type WaitOutcome =
  /** `lacks`: what the answers of a task lack. The marker of a call does not say it. */
  | { how: 'done'; lacks?: readonly string[]; earlier?: Earlier }
  /** Its process has ended, and no done marker was named. */
  | { how: 'gone'; pid: number }
  | { how: 'failed'; exitCode: number; class: string | null; reason: string | null; earlier?: Earlier }
  | { how: 'died'; pid: number; without: string }
  | { how: 'too_short'; out: string; lines: number; wanted: number }
  | { how: 'garbled'; message: string }
  | { how: 'timed_out'; afterMs: number; without: string }
  /** The wait ended before this task did. */
  | { how: 'unsettled' };

export type WaitStatus = 'done' | 'failed' | 'timed_out' | 'left';

/** What the report calls each outcome. */
export const STATUS = {
  done: 'done',
  gone: 'done',
  failed: 'failed',
  died: 'failed',
  too_short: 'failed',
  garbled: 'failed',
  timed_out: 'timed_out',
  unsettled: 'left',
} as const satisfies Record<WaitOutcome['how'], WaitStatus>;

/** The text after the task's name. */
export function describe(outcome: WaitOutcome, which: 'whole' | 'short' = 'whole'): string {
  switch (outcome.how) {
    case 'done':
      return [`done${earlierWords(outcome.earlier, which)}`, ...(outcome.lacks ?? [])].join('; warning: ');
    case 'gone':
      return `done: process ${outcome.pid} has ended (no done marker was named, so its success is not known)`;
    case 'failed': {
      const why =
        outcome.class !== null && outcome.reason !== null
          ? `${outcome.class} (${outcome.reason})`
          : (outcome.class ?? outcome.reason ?? '');
      return `failed with exit code ${outcome.exitCode}${why === '' ? '' : `: ${why}`}${earlierWords(outcome.earlier, which)}`;
    }
    case 'died':
      return `failed: process ${outcome.pid} is gone, and there is no ${outcome.without}`;
    case 'too_short':
      return `failed: ${outcome.out} has ${outcome.lines} of the ${outcome.wanted} lines wanted`;
    case 'garbled':
      return `failed: ${outcome.message}`;
    case 'timed_out':
      return `timed out after ${outcome.afterMs} ms: there is no ${outcome.without}`;
    case 'unsettled':
      return 'still waiting';
  }
}

/** Files cannot show whether a marker is of this caller's call or of an earlier one, so the text says how old it is. */
function earlierWords(earlier: Earlier | undefined, which: 'whole' | 'short'): string {
  if (earlier === undefined) return '';
  if (which === 'short') return `, ${earlier.at}, before this wait`;
  return `, since ${earlier.at}, before this wait began${earlier.callId === null ? '' : `: ${earlier.callId}`}`;
}

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

/** Reads a marker and its file's identity, or null. Empty means success; it may hold an exit code, or a record. */
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
