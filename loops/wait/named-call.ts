// A call whose files were named one by one: its done marker, then its process, then nothing but the clock.

import { type IsAbsent, NONE_LISTED, type Place, placeOf } from './absence.ts';
import { type Awaited, type AwaitedLook, pending, settled } from './awaited.ts';
import { countLines } from './line-count.ts';
import { STARTING_MS, writersOf } from './living-writers.ts';
import { readVersion, type SaidByMarker, SUCCESS, versionOf } from './marker.ts';
import { type NamedPid, type NamedProcess, readNamed } from './named-process.ts';
import { type ProcessLife, watchProcess } from './process-life.ts';

export interface NamedCall {
  label: string;
  /** At least one of the two. */
  done: string | null;
  pid: NamedPid;
  /** Looked at when the call is done. */
  out: string | null;
  minLines: number | null;
  /** Whether a marker and a pid file that were there before the wait began may be this call's. */
  earlier: 'counts' | 'never_counts';
}

/** How long the writer of a marker may take between making it and filling it. */
const WRITING_MS = 200;

/** How far a process' start time, told in ticks since the boot, may be from the time of a file. */
const CLOCK_MS = 100;

/** An object that is asked again and again how the call stands; nothing is awaited here. */
export function awaitCall(call: NamedCall, isAbsent: IsAbsent = NONE_LISTED): Awaited {
  const { done, pid } = call;
  const marker = done === null ? null : placeOf(done);
  const pidFile = pid !== null && 'file' in pid ? placeOf(pid.file) : null;
  const before = beforeOf(idOf(marker, isAbsent), idOf(pidFile, isAbsent));
  const began = performance.now();
  /** Made when something of it is there: of thousands that is not yet so, and would take 20 MB. */
  let course: Course | null = null;
  return {
    label: call.label,
    files: [done, pidFile?.file ?? null].filter((file) => file !== null),
    look(when = 'now', isAbsent = NONE_LISTED) {
      const isThere = { marker: marker !== null && !isAbsent(marker), pid: pidFile !== null && !isAbsent(pidFile) };
      const isNamed = pid !== null && 'number' in pid;
      if (course === null && !isThere.marker && !isThere.pid && !isNamed) return pending('on_change');
      course ??= createCourse(call, before, began);
      return course.look(when, isThere);
    },
    get lacking() {
      return (course ?? createCourse(call, before, began)).lacking();
    },
  };
}

/** What was there before the wait began: which files they were. */
interface Before {
  marker: string | null;
  pid: string | null;
}

const NOTHING: Before = { marker: null, pid: null };

const beforeOf = (marker: string | null, pid: string | null): Before =>
  marker === null && pid === null ? NOTHING : { marker, pid };

interface Course {
  look(when: 'now' | 'at_last', mayBeThere: { marker: boolean; pid: boolean }): AwaitedLook;
  lacking(): string;
}

function createCourse(call: NamedCall, before: Before, began: number): Course {
  const { done, pid, out, minLines } = call;
  let life: ProcessLife | null = null;
  /** A process that was started to write these files, seen while they were still an earlier call's. */
  let writer: ProcessLife | null = null;
  let endSeen = false;
  let unfinishedSince: number | null = null;
  let another: string | null = null;

  let isLast = false;

  function look(when: 'now' | 'at_last', mayBeThere: { marker: boolean; pid: boolean }): AwaitedLook {
    isLast = when === 'at_last';
    const named: NamedProcess = pid !== null && 'file' in pid && !mayBeThere.pid ? { how: 'not_yet' } : readNamed(pid);
    if (named.how === 'garbled') return settled({ how: 'garbled', message: named.message });
    if (named.how === 'named' && named.pid !== life?.pid) life = watchProcess(named.pid);
    let found: ReturnType<typeof readVersion>;
    try {
      found = done === null || !mayBeThere.marker ? null : readVersion(done);
    } catch (error) {
      return settled({ how: 'garbled', message: (error as Error).message });
    }
    return (found === null ? null : lookAtMarker(found, named)) ?? lookAtProcesses(named);
  }

  /** null for a marker that is another call's. */
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

  /** Whose the marker is when it is not that of the process that was named; else null. */
  function anotherOf(said: SaidByMarker, named: NamedProcess, writtenMs: number): string | null {
    if (named.how === 'not_yet') return `${whoseIs(said)}, and no pid file tells that this is the one that is meant`;
    if (named.how !== 'named') return null;
    if (said.pid !== null)
      return [said.pid, ...said.startedBy].includes(named.pid) ? null : `${whoseIs(said)}, not of process ${named.pid}`;
    // It tells no process; but a marker comes last of all.
    const startedAtMs = life?.startedAtMs() ?? null;
    const sinceMs = named.sinceMs ?? (startedAtMs === null ? null : startedAtMs - CLOCK_MS);
    return sinceMs === null || writtenMs >= sinceMs ? null : `older than process ${named.pid}`;
  }

  /** Somebody is about to write anew what was there before; or was, and is gone. */
  function isAwaited(files: readonly string[], known: readonly (number | null)[]): boolean {
    if (call.earlier === 'never_counts') return true;
    const found = files.flatMap(writersOf).find((number) => !known.includes(number));
    if (found !== undefined && (writer === null || writer.ended())) writer = watchProcess(found);
    return writer !== null;
  }

  /** A number that was given to another process since the file was written is nobody's. */
  function isGone({ ended, startedAtMs }: ProcessLife, sinceMs: number | null): boolean {
    return ended() || (sinceMs !== null && (startedAtMs() ?? 0) > sinceMs + CLOCK_MS);
  }

  const isYoung = () => !isLast && performance.now() - began < STARTING_MS;

  /** No marker that counts is there. */
  function lookAtProcesses(named: NamedProcess): AwaitedLook {
    if (named.how === 'not_yet') return pending('on_change');
    const isEarlier = named.how === 'named' && named.fileId !== null && named.fileId === before.pid;
    const sinceMs = named.how === 'named' ? named.sinceMs : null;
    if (life !== null && !isGone(life, sinceMs)) return pending('by_the_clock');
    if (isEarlier && pid !== null && 'file' in pid && isAwaited([pid.file], [named.pid]) && writer === null)
      return pending('on_change');
    if (isEarlier && isYoung()) return pending('by_the_clock');
    const last = writer ?? life;
    if (last === null) return pending('on_change');
    if (last === writer && !last.ended()) return pending('by_the_clock');
    // The marker may have been its last act, after we looked: the next look decides.
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
    look,
    lacking() {
      if (done !== null) return markerWords();
      return `end of process ${pid !== null && 'file' in pid ? `in ${pid.file}` : pid?.number}`;
    },
  };
}

const idOf = (place: Place | null, isAbsent: IsAbsent): string | null =>
  place === null || isAbsent(place) ? null : (versionOf(place.file)?.id ?? null);

function whoseIs({ callId, pid }: SaidByMarker): string {
  if (callId !== null) return `of call ${callId}`;
  return pid === null ? 'of an earlier call' : `of process ${pid}`;
}
