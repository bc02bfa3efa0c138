// Reads the result of a described CLI at its end, if no event had it: the answer is what it printed, or a file that it wrote.

import { fstatSync, readSync } from 'node:fs';
import type { EngineEvent, EngineFailure } from '../../policies/facts/engine-event.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import {
  cutObject,
  noObject,
  readRows,
  readsList,
  readText,
  unfitAnswer,
} from '../../policies/rules/described-events.ts';
import { beginsAsObject, isCutDocument, parseList, parseObject } from '../../policies/text/json.ts';
import { readRegular } from '../../state/disk/regular-file.ts';

/** Its exit code; `ended`: by us or by a signal, whatever it exits with then; `unseen`: its wrapper died before it did. */
export type CliExit = number | 'ended' | 'unseen';

/** The output of a call that is over. */
export interface EndedCli {
  exit: CliExit;
  /** All that it printed; null where that is more than is read of an answer. */
  printed(): string | null;
  /** The file that it was to write. */
  written(): Written;
}

/** An unreadable answer was paid for all the same, unlike a missing one. `why` is a sentence without a subject. */
export type Written = { how: 'read'; text: string } | { how: 'absent' | 'too_large' } | { how: 'invalid'; why: string };

export function conclude(row: OwnToolRow, ended: EndedCli): EngineEvent[] {
  return withAltered(readEnd(row, ended));
}

/** Puts a warning before an answer, or a piece of it, that is not what the CLI wrote. */
export const withAltered = (events: EngineEvent[]): EngineEvent[] =>
  events.some((event) => event.how === 'said' && event.text.includes('\uFFFD')) ? [NOT_UTF8, ...events] : events;

const NOT_UTF8: EngineEvent = {
  how: 'warned',
  message: 'an answer with bytes that are not UTF-8 text; each is replaced by \uFFFD',
};

function readEnd(row: OwnToolRow, ended: EndedCli): EngineEvent[] {
  const succeeded = typeof ended.exit === 'number' && row.successExits.includes(ended.exit);
  if (row.output === 'lines') return succeeded ? closeLines(row, ended.printed()) : [];
  if (row.output === 'json') return readDocument(row, ended, succeeded);
  if (row.output === 'file') return succeeded ? readWritten(ended.written()) : [];
  const read = readText(row, ended.printed());
  return succeeded ? [...read, { how: 'completed' }] : read.filter(({ how }) => how === 'counted');
}

/** More than is read of an answer was looked at line by line as it came. */
function closeLines({ events }: OwnToolRow, printed: string | null): EngineEvent[] {
  if (
    printed !== null &&
    printed.trim() !== '' &&
    !someLine(printed, (line) => beginsAsObject(line) || parseObject(line) !== null)
  )
    return [{ how: 'failed', failure: noObject('has no line that is a JSON object') }];
  return events.some(({ completed }) => completed) ? [] : [{ how: 'completed' }];
}

function someLine(printed: string, fits: (line: string) => boolean): boolean {
  for (let from = 0; from < printed.length; ) {
    const end = printed.indexOf('\n', from);
    if (fits(printed.slice(from, end < 0 ? undefined : end).trim())) return true;
    from = end < 0 ? printed.length : end + 1;
  }
  return false;
}

function readWritten(written: Written): EngineEvent[] {
  if (written.how === 'invalid') return [{ how: 'failed', failure: unfitAnswer(written.why) }];
  if (written.how === 'absent') return [{ how: 'completed' }];
  return [saidOf(written.how === 'read' ? written.text : null), { how: 'completed' }];
}

const saidOf = (answer: string | null): EngineEvent =>
  answer === null ? { how: 'outsized', what: 'answer' } : { how: 'said', text: answer, whole: true, message: null };

/** A whole document with its answer is a success if no process saw how the CLI ended, and no process ended it. */
function readDocument(row: OwnToolRow, { exit, printed }: EndedCli, succeeded: boolean): EngineEvent[] {
  const text = printed()?.trim();
  if (text === undefined) return succeeded ? [saidOf(null), { how: 'completed' }] : [];
  const isList = readsList(row);
  const json = isList ? parseList(text) : parseObject(text);
  if (json === null) return succeeded && text !== '' ? [{ how: 'failed', failure: notOneObject(text, isList) }] : [];
  const events = readRows(row.events, json);
  const hasFailed = events.some(({ how }) => how === 'failed');
  const hasAnswer = events.some(({ how }) => how === 'said');
  // A failing exit without an answer says what went wrong elsewhere.
  const kept = succeeded ? events : events.filter(({ how }) => how !== 'stopped');
  return hasFailed || !(succeeded || (exit === 'unseen' && hasAnswer)) ? kept : [...kept, { how: 'completed' }];
}

/** One that was cut may be whole the next time; what is printed beside it will be there again. */
function notOneObject(text: string, isList: boolean): EngineFailure {
  if (!isList && text.startsWith('['))
    return noObject('is a list and no JSON object (begin the paths with an index, such as -1.result for its last)');
  if (isCutDocument(text)) return cutObject(`what it printed is cut after ${text.length} characters`);
  if (isList) return noObject('is no JSON list');
  if (!someLine(text, (line) => parseObject(line) !== null)) return noObject('is not a JSON object');
  return noObject('has more than one JSON object in it: have it print that alone, or say output: lines');
}

/** Anything in that place was paid for. */
export function writtenTo(file: string, maxBytes: number): Written {
  try {
    return { how: 'read', text: readRegular(file, maxBytes) };
  } catch (error) {
    const { code, why = `gives ${code}` } = error as NodeJS.ErrnoException & { why?: string };
    if (code === undefined) throw error;
    if (code === 'ENOENT') return { how: 'absent' };
    return code === 'EFBIG' ? { how: 'too_large' } : { how: 'invalid', why };
  }
}

/** null where that is more than may be read. @param end what follows this offset is not read. */
export function printedIn(descriptor: number, maxBytes: number, end = Number.POSITIVE_INFINITY): string | null {
  const size = Math.min(fstatSync(descriptor).size, end);
  if (size > maxBytes) return null;
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(descriptor, bytes, length, size - length, length);
  return bytes.toString('utf8', 0, length);
}
