// An answer is compared with its schema in a thread: a pattern that never ends can be ended there, and signals are heard.

import { fileURLToPath } from 'node:url';
import { answerFromThread, runInThread, type ThreadEnd } from '../limited-thread.ts';
import { findMisfits, type Schema, type SchemaLook } from './schema.ts';

interface SchemaWork {
  schema: Schema;
  /** The answer; a value that is nested deeply could not be copied. */
  json: string;
  chars: number;
}

export const runThread = (work: SchemaWork, wallMs: number, stop: AbortSignal): Promise<ThreadEnd<SchemaLook>> =>
  runInThread({ file: fileURLToPath(import.meta.url), given: work, wallMs, stop });

export const inThread = (): Promise<void> =>
  answerFromThread(({ schema, json, chars }: SchemaWork) => findMisfits(schema, JSON.parse(json), chars));
