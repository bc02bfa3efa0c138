// Reports an answer that is not where its CLI's description says. A retry would not find one either.

import type { EngineFailure } from '../facts/engine-event.ts';

export const NO_ANSWER_FIELD = 'no_answer_field';

/** @param why part of a sentence, such as `is no JSON object` */
export const noObject = (why: string): EngineFailure => ({
  message: `what it printed ${why}, where its description looks for the answer: fix it in tollgate.yaml (what was printed is kept beside the answer's file, as .raw)`,
  code: NO_ANSWER_FIELD,
});

/**
 * @param path the field that the description names.
 * @param value the value at that path; undefined if there is none.
 */
export const noField = (path: string, value: unknown): EngineFailure =>
  noObject(value === undefined ? `has no field ${path}` : `has ${kindOf(value)} and no text in its field ${path}`);

export const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : ({ number: 'a number', boolean: 'a boolean', string: 'a text' }[typeof value as string] ?? 'an object');

/** A JSON object that breaks off. Our rules recognise these words. */
export const cutObject = (what: string): EngineFailure => ({
  message: `JSON ended prematurely: ${what}, so that a part of the answer may be missing`,
});

/** @param why a sentence without a subject, such as `is a FIFO, and no regular file` */
export const unfitAnswer = (why: string): EngineFailure => ({
  message: `what it wrote in the place of {answer_file} ${why}, so that its answer cannot be read: have it write a regular file there`,
  code: NO_ANSWER_FIELD,
});
