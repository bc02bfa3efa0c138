// A call whose files were named one by one: its done marker, then its process, then nothing but the clock.

import { readFileSync, statSync } from 'node:fs';
import { type Awaited, type Look, pending, settled } from './awaited.ts';
import { countLines } from './line-count.ts';
import { type Marker, readMarker } from './marker.ts';
import { type ProcessLife, watchProcess } from './process-life.ts';

export interface NamedCall {
  label: string;
  /** At least one of the two. */
  done: string | null;
  pid: { number: number } | { file: string } | null;
  /** Looked at when the call is done. */
  out: string | null;
  minLines: number | null;
}

/** How long the writer of a marker may take between making it and filling it. */
const WRITING_MS = 200;

export function awaitCall(call: NamedCall): Awaited {
  const { done, pid, out, minLines } = call;
  let life: ProcessLife | null = pid !== null && 'number' in pid ? watchProcess(pid.number) : null;
  let endSeen = false;
  let unfinishedSince: number | null = null;

  function look(): Look {
    let marker: Marker;
    try {
      marker = done === null ? { how: 'absent' } : readMarker(done);
    } catch (error) {
      return settled({ how: 'garbled', message: (error as Error).message });
    }
    if (marker.how === 'said') return judge(marker);
    if (marker.how === 'unfinished') {
      unfinishedSince ??= Date.now();
      if (Date.now() - Math.min(unfinishedSince, changedAt(done!)) < WRITING_MS) return pending('by_the_clock');
      if (marker.text === '') return judge({ exitCode: 0, class: null, reason: null });
      return settled({ how: 'garbled', message: `${done} holds half a record` });
    }
    if (life === null && pid !== null && 'file' in pid) {
      const number = readPid(pid.file);
      if (number === 'garbled') return settled({ how: 'garbled', message: `${pid.file} holds no process number` });
      if (number !== null) life = watchProcess(number);
    }
    if (life === null) return pending('on_change');
    if (!life.ended()) return pending('by_the_clock');
    // The marker may have been its last act, after we looked: the next look decides.
    if (!endSeen) {
      endSeen = true;
      return pending('by_the_clock');
    }
    if (done !== null) return settled({ how: 'died', pid: life.pid, without: `done marker ${done}` });
    return judgeLength() ?? settled({ how: 'gone', pid: life.pid });
  }

  function judge({ exitCode, class: errorClass, reason }: Omit<Extract<Marker, { how: 'said' }>, 'how'>): Look {
    if (exitCode !== 0) return settled({ how: 'failed', exitCode, class: errorClass, reason });
    return judgeLength() ?? settled({ how: 'done' });
  }

  function judgeLength(): Look | null {
    if (out === null || minLines === null) return null;
    const lines = countLines(out, minLines);
    return lines >= minLines ? null : settled({ how: 'too_short', out, lines, wanted: minLines });
  }

  return {
    label: call.label,
    files: [done, pid !== null && 'file' in pid ? pid.file : null].filter((file) => file !== null),
    look,
    lacking:
      done !== null
        ? `done marker ${done}`
        : `end of process ${pid !== null && 'file' in pid ? `in ${pid.file}` : pid?.number}`,
  };
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

/** A number, or a record that has one; null while there is nothing to read. */
function readPid(file: string): number | null | 'garbled' {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
  if (text === '') return null;
  const number = /^(?:\{[\s\S]*?"pid"\s*:\s*)?(\d+)\b/.exec(text)?.[1];
  return number === undefined || Number(number) === 0 ? 'garbled' : Number(number);
}
