// What a wrapper says of itself to those who wait for it: its process before anything else, how it ended last of all.

import { mkdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { ancestorsOf } from '../../wrappers/processes/ancestors.ts';
import type { WrapperRequest } from './request.ts';

/** The process that a marker speaks for, and those that it was started from: `$!` of a shell may name npx or a subshell. */
export interface Announced {
  pid: number;
  started_by: readonly number[];
}

/** What a done marker holds. `pid` is null where a sweep or another run published the call. */
interface DoneMarker {
  exit_code: number;
  class: string | null;
  reason: string | null;
  call_id: string | null;
  pid: number | null;
  started_by: readonly number[];
  /** ISO time. */
  at: string;
}

type Files = Pick<WrapperRequest['files'], 'pidFile' | 'doneMarker'>;

/**
 * Before anything is looked at: the pid file first, so that a marker that still stands beside it is seen to be another
 * process's, then the old marker goes. What cannot be written here is refused by the checks that follow.
 */
export async function announce({ pidFile, doneMarker }: Files): Promise<Announced> {
  if (pidFile !== null) tried(() => publishText(pidFile, `${process.pid}\n`));
  if (doneMarker === null) return { pid: process.pid, started_by: [] };
  tried(() => mkdirSync(path.dirname(path.resolve(doneMarker)), { recursive: true, mode: 0o700 }));
  tried(() => unlinkSync(doneMarker));
  return { pid: process.pid, started_by: (await ancestorsOf(process.pid)).map(({ pid }) => pid) };
}

/** The last file of all. @param announced null when the wrapper itself is gone. */
export function publishMarker({ doneMarker }: Files, record: CallRecord, announced: Announced | null): void {
  const { class: errorClass, reason } = record.verdict;
  if (doneMarker === null) return;
  publishDone(doneMarker, {
    exit_code: record.wrapper_exit_code,
    class: errorClass,
    reason,
    call_id: record.call_id,
    pid: announced?.pid ?? null,
    started_by: announced?.started_by ?? [],
    at: new Date(Date.parse(record.started_at) + (record.duration_ms ?? 0)).toISOString(),
  });
}

/** Writes the done marker whole; throws what the operating system throws. */
export const publishDone = (file: string, marker: DoneMarker): void => publishText(file, `${JSON.stringify(marker)}\n`);

function tried(does: () => void): void {
  try {
    does();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
