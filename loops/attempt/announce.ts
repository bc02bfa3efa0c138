// Announces a wrapper to the processes that wait for it: its pid before all else, and its ending as the last step.

import { unlinkSync } from 'node:fs';
import path from 'node:path';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { ancestorsOf } from '../../wrappers/processes/ancestors.ts';

/** The process that a marker belongs to, and its ancestors: `$!` of a shell may be the pid of npx or a subshell. */
export interface Announced {
  pid: number;
  started_by: readonly number[];
}

/** The content of a done marker. `pid` is null if a sweep or another run published the call. */
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

type Files = { pidFile: string | null; doneMarker: string | null };

/**
 * Runs before any check. It writes the pid file first, so that an old marker beside it is recognised as another process's. Then
 * it removes the old marker. If a file cannot be written here, the later checks refuse the call.
 */
export async function announce({ pidFile, doneMarker }: Files): Promise<Announced> {
  if (pidFile !== null) tried(() => publishText(pidFile, `${process.pid}\n`));
  if (doneMarker === null) return { pid: process.pid, started_by: [] };
  tried(() => makeFolders(path.dirname(path.resolve(doneMarker))));
  tried(() => unlinkSync(doneMarker));
  return { pid: process.pid, started_by: (await ancestorsOf(process.pid)).map(({ pid }) => pid) };
}

/** Writes the marker, which is the last file of a call. @param announced null if the wrapper itself is gone. */
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

/** Writes the complete done marker. Throws the errors of the operating system. */
export const publishDone = (file: string, marker: DoneMarker): void => publishText(file, `${JSON.stringify(marker)}\n`);

function tried(does: () => void): void {
  try {
    does();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
