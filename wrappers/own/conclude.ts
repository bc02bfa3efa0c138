// What a described CLI told with its end, where no event did: the answer is what it printed, or a file that it wrote.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { noField, unfitAnswer } from '../../policies/own-tool/answer-field.ts';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import { readRows } from '../../policies/own-tool/read-event.ts';
import { parseObject } from '../../policies/text/json.ts';

/** What a call has left when it is over. */
export interface EndedCli {
  /** null: it was ended, or nobody saw how it ended. */
  exitCode: number | null;
  /** All that it printed; null where that is more than is read of an answer. */
  printed(): string | null;
  /** The file that it was to write. */
  written(): Written;
}

/** What stands in an answer's place that cannot be read was paid for all the same, unlike none; `why` is a sentence without a subject. */
export type Written = { how: 'read'; text: string } | { how: 'absent' | 'too_large' } | { how: 'unfit'; why: string };

export function conclude(row: OwnToolRow, ended: EndedCli): EngineEvent[] {
  const succeeded = ended.exitCode !== null && row.successExits.includes(ended.exitCode);
  if (row.output === 'lines')
    return succeeded && !row.events.some(({ completed }) => completed) ? [{ how: 'completed' }] : [];
  if (row.output === 'json') return readDocument(row, ended, succeeded);
  if (!succeeded) return [];
  return row.output === 'text' ? [saidOf(ended.printed()), { how: 'completed' }] : readWritten(ended.written());
}

function readWritten(written: Written): EngineEvent[] {
  if (written.how === 'unfit') return [{ how: 'failed', failure: unfitAnswer(written.why) }];
  if (written.how === 'absent') return [{ how: 'completed' }];
  return [saidOf(written.how === 'read' ? written.text : null), { how: 'completed' }];
}

const saidOf = (answer: string | null): EngineEvent =>
  answer === null ? { how: 'outsized', what: 'answer' } : { how: 'said', text: answer, whole: true, message: null };

/** A whole document with its answer stands for itself where nobody saw how the CLI ended. */
function readDocument(row: OwnToolRow, { exitCode, printed }: EndedCli, succeeded: boolean): EngineEvent[] {
  const text = printed();
  if (text === null) return succeeded ? [saidOf(null), { how: 'completed' }] : [];
  const json = parseObject(text.trim());
  if (json === null) return succeeded && text.trim() !== '' ? [{ how: 'failed', failure: noField(null) }] : [];
  const events = readRows(row.events, json);
  const hasFailed = events.some(({ how }) => how === 'failed');
  const hasAnswer = events.some(({ how }) => how === 'said');
  // A failing exit without an answer says what went wrong elsewhere.
  const told = succeeded ? events : events.filter(({ how }) => how !== 'stopped');
  return hasFailed || !(succeeded || (exitCode === null && hasAnswer)) ? told : [...told, { how: 'completed' }];
}
