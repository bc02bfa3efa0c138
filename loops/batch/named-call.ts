// Waits for a call that is named by its files: looks at its done marker, then at its process, and counts its lines.

import { closeSync, readSync } from 'node:fs';
import { openFollowed, readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { type LivingProcesses, type ProcessLife, readLiving, STARTING_MS, watchProcess } from './living-processes.ts';
import {
  type Awaited,
  type AwaitedLook,
  pending,
  readVersion,
  type SaidByMarker,
  SUCCESS,
  settled,
  versionOf,
} from './wait-outcome.ts';

export interface NamedCall {
  label: string;
  /** At least one of the two. */
  done: string | null;
  pid: NamedPid;
  /** Its lines are counted when the call is done. */
  out: string | null;
  minLines: number | null;
  /** Whether a marker and a pid file that were there before the wait began may be this call's. */
  earlier: 'counts' | 'never_counts';
}

type NamedPid = { number: number } | { file: string } | null;

/** How long the writer of a marker may take to fill it. */
const WRITING_MS = 200;

/** The start time of a process, counted in ticks since the boot, may differ so much from the time of a file. */
const CLOCK_MS = 100;

/** Waits for nothing itself: each look reports the state of the call at that moment. */
export function awaitCall(call: NamedCall, living: LivingProcesses = readLiving()): Awaited {
  const { done, pid, out, minLines } = call;
  const pidFile = pid !== null && 'file' in pid ? pid.file : null;
  const before = { marker: idOf(done), pid: idOf(pidFile) };
  const began = performance.now();
  let life: ProcessLife | null = null;
  /** A process that was started to write these files, seen while they were still of an earlier call. */
  let writer: ProcessLife | null = null;
  let endSeen = false;
  let unfinishedSince: number | null = null;
  let another: string | null = null;
  let isLast = false;

  function look(when: 'now' | 'at_last' = 'now'): AwaitedLook {
    isLast = when === 'at_last';
    const named = readNamed(pid);
    if (named.how === 'invalid') return settled({ how: 'garbled', message: named.message });
    if (named.how === 'read' && named.pid !== life?.pid) life = watchProcess(named.pid);
    let found: ReturnType<typeof readVersion>;
    try {
      found = done === null ? null : readVersion(done);
    } catch (error) {
      return settled({ how: 'garbled', message: (error as Error).message });
    }
    return (found === null ? null : lookAtMarker(found, named)) ?? lookAtProcesses(named);
  }

  /** null for the marker of another call. */
  function lookAtMarker(
    { marker, version }: NonNullable<ReturnType<typeof readVersion>>,
    named: NamedProcess,
  ): AwaitedLook | null {
    if (marker.how === 'unfinished') {
      unfinishedSince ??= Date.now();
      if (Date.now() - Math.min(unfinishedSince, version.ms) < WRITING_MS) return pending('by_the_clock');
    }
    const said = marker.how === 'said' ? marker : SUCCESS;
    another = anotherOf(said, named, version.ms);
    if (another !== null) return null;
    const isEarlier = version.id === before.marker;
    if (isEarlier && isAwaited([done!], [said.pid, ...said.startedBy])) {
      another = whoseIs(said);
      return null;
    }
    if (isEarlier && isYoung()) return pending('by_the_clock');
    if (marker.how === 'unfinished' && marker.text !== '')
      return settled({ how: 'garbled', message: `${done} holds half a record` });
    return judge(said, isEarlier ? version.ms : null);
  }

  /** Names the call of the marker when it is not that of the named process; else null. */
  function anotherOf(said: SaidByMarker, named: NamedProcess, writtenMs: number): string | null {
    if (named.how === 'absent') return `${whoseIs(said)}, and no pid file shows that this is the right process`;
    if (named.how !== 'read') return null;
    if (said.pid !== null)
      return [said.pid, ...said.startedBy].includes(named.pid) ? null : `${whoseIs(said)}, not of process ${named.pid}`;
    // The marker names no process, but a wrapper writes it last: it must be newer than the process.
    const startedAtMs = life?.startedAtMs() ?? null;
    const sinceMs = named.sinceMs ?? (startedAtMs === null ? null : startedAtMs - CLOCK_MS);
    return sinceMs === null || writtenMs >= sinceMs ? null : `older than process ${named.pid}`;
  }

  /** Whether a process was started that writes again what was there before; it may have ended since. */
  function isAwaited(files: readonly string[], known: readonly (number | null)[]): boolean {
    if (call.earlier === 'never_counts') return true;
    const found = files.flatMap(living.writersOf).find((number) => !known.includes(number));
    if (found !== undefined && (writer === null || writer.ended())) writer = watchProcess(found);
    return writer !== null;
  }

  /** A process that started after the file was written is another one with the same number. */
  function isGone({ ended, startedAtMs }: ProcessLife, sinceMs: number | null): boolean {
    return ended() || (sinceMs !== null && (startedAtMs() ?? 0) > sinceMs + CLOCK_MS);
  }

  const isYoung = () => !isLast && performance.now() - began < STARTING_MS;

  /** No marker that counts is there. */
  function lookAtProcesses(named: NamedProcess): AwaitedLook {
    if (named.how === 'absent') return pending('on_change');
    const isEarlier = named.how === 'read' && named.fileId !== null && named.fileId === before.pid;
    const sinceMs = named.how === 'read' ? named.sinceMs : null;
    if (life !== null && !isGone(life, sinceMs)) return pending('by_the_clock');
    if (isEarlier && pid !== null && 'file' in pid && isAwaited([pid.file], [named.pid]) && writer === null)
      return pending('on_change');
    if (isEarlier && isYoung()) return pending('by_the_clock');
    const last = writer ?? life;
    if (last === null) return pending('on_change');
    if (last === writer && !last.ended()) return pending('by_the_clock');
    // It may have written the marker after this look, so the next look decides.
    if (!endSeen) {
      endSeen = true;
      return pending('by_the_clock');
    }
    if (done !== null) return settled({ how: 'died', pid: last.pid, without: markerWords() });
    return judgeLength() ?? settled({ how: 'gone', pid: last.pid });
  }

  function judge({ exitCode, class: errorClass, reason, callId }: SaidByMarker, earlierMs: number | null): AwaitedLook {
    const earlier = earlierMs === null ? {} : { earlier: { callId, at: new Date(earlierMs).toISOString() } };
    if (exitCode !== 0) return settled({ how: 'failed', exitCode, class: errorClass, reason, ...earlier });
    return judgeLength() ?? settled({ how: 'done', ...earlier });
  }

  function judgeLength(): AwaitedLook | null {
    if (out === null || minLines === null) return null;
    const lines = countLines(out, minLines);
    return lines >= minLines ? null : settled({ how: 'too_short', out, lines, wanted: minLines });
  }

  const markerWords = () => `done marker ${done}${another === null ? '' : ` (the one that is there is ${another})`}`;

  return {
    label: call.label,
    files: [done, pidFile].filter((file) => file !== null),
    look,
    get lacking() {
      if (done !== null) return markerWords();
      return `end of process ${pid !== null && 'file' in pid ? `in ${pid.file}` : pid?.number}`;
    },
  };
}

const idOf = (file: string | null): string | null => (file === null ? null : (versionOf(file)?.id ?? null));

function whoseIs({ callId, pid }: SaidByMarker): string {
  if (callId !== null) return `of call ${callId}`;
  return pid === null ? 'of an earlier call' : `of process ${pid}`;
}

type NamedProcess =
  /** The caller named none. */
  | { how: 'none' }
  /** Its file is not there, or still empty. */
  | { how: 'absent' }
  | { how: 'invalid'; message: string }
  /** `fileId` and `sinceMs`: the version of the file, and when it was written; null for a number on the command line. */
  | { how: 'read'; pid: number; fileId: string | null; sinceMs: number | null };

export function readNamed(pid: NamedPid): NamedProcess {
  if (pid === null) return { how: 'none' };
  if ('number' in pid) return { how: 'read', pid: pid.number, fileId: null, sinceMs: null };
  const version = versionOf(pid.file);
  const text = textOf(pid.file);
  if (version === null || text === '') return { how: 'absent' };
  // A number, or a record that has one.
  const number = Number(/^(?:\{[\s\S]*?"pid"\s*:\s*)?(\d+)\b/.exec(text)?.[1] ?? 0);
  if (number === 0) return { how: 'invalid', message: `${pid.file} holds no process number` };
  return { how: 'read', pid: number, fileId: version.id, sinceMs: version.ms };
}

const textOf = (file: string): string => readFollowedIfFit(file, MAX_PID_BYTES)?.trim() ?? '';

const MAX_PID_BYTES = 64 * 1024;

const CHUNK = 256 * 1024;

/** An endless file must not block the wait. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Text after the last line end counts as a line. A missing file has none. */
export function countLines(file: string, enough: number): number {
  let fd: number;
  try {
    fd = openFollowed(file);
  } catch {
    return 0;
  }
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    let lines = 0;
    let last = NEWLINE;
    let bytes = 0;
    for (let read = readSync(fd, buffer); read > 0 && lines < enough; read = readSync(fd, buffer)) {
      const chunk = buffer.subarray(0, read);
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
      last = chunk[read - 1]!;
      bytes += read;
      if (bytes >= MAX_COUNTED_BYTES) break;
    }
    return Math.min(enough, lines + (last === NEWLINE ? 0 : 1));
  } finally {
    closeSync(fd);
  }
}
