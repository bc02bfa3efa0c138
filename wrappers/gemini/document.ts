// Reads what gemini prints with `--output-format json`: one JSON document at the end, in place of a stream.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';

/** null where the text is no such document, and no beginning of one. */
export function readDocument(text: string): EngineEvent[] | null {
  const trimmed = text.trim();
  if (!BEGINS.test(trimmed)) return null;
  const document = parseObject(trimmed);
  if (document === null && !/^\{\s{0,20}"session_id"/.test(trimmed)) return null;
  if (document === null) return [{ how: 'failed', failure: { message: 'the JSON ended prematurely' } }];
  const error = partOf(document.error);
  const response = textOf(document.response);
  // An answer may be JSON too.
  if (response === null && textOf(error?.message) === null) return null;
  if (error === null) return [{ how: 'said', text: response ?? '', whole: true, message: null }, { how: 'completed' }];
  const code = numberOf(error.code);
  const type = textOf(error.type);
  const known = {
    ...(type === null || type === 'Error' ? {} : { type }),
    ...(code === null || code < 400 ? {} : { status: code }),
  };
  return [{ how: 'failed', failure: readFailure(textOf(error.message) ?? '', known) }];
}

const BEGINS = /^\{\s{0,20}"(?:session_id|response|error|stats)"\s{0,4}:/;
