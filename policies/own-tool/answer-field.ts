// A call whose answer is not where the description of its CLI looks for it: to ask once more would find none either.

import type { EngineFailure } from '../facts/engine-event.ts';

export const NO_ANSWER_FIELD = 'no_answer_field';

/** @param path of the field that its description names; null: it printed no JSON at all */
export const noField = (path: string | null): EngineFailure => ({
  message: `what it printed ${path === null ? 'is no JSON object' : `has no field ${path}`}, where its description looks for the answer: mend it in tollgate.yaml (what was printed is kept beside the answer's file, as .raw)`,
  code: NO_ANSWER_FIELD,
});

/** @param why a sentence without a subject, such as `is a FIFO, and no regular file` */
export const unfitAnswer = (why: string): EngineFailure => ({
  message: `what it left in the place of {answer_file} ${why}, so that its answer cannot be read: have it write a regular file there`,
  code: NO_ANSWER_FIELD,
});
