// Compares an answer with its schema in a separate process: an endless pattern can be ended there, and we still get signals.

import { fileURLToPath } from 'node:url';
import { answerFromProcess, type LimitedEnd, runInProcess } from '../limited-process.ts';
import { findMisfits, type Schema, type SchemaLook } from './schema.ts';

interface SchemaWork {
  schema: Schema;
  /** The answer as text, because a deeply nested value cannot be copied. */
  json: string;
  chars: number;
}

export const runSchemaProcess = (
  work: SchemaWork,
  wallMs: number,
  stop: AbortSignal,
): Promise<LimitedEnd<SchemaLook>> => runInProcess({ file: fileURLToPath(import.meta.url), given: work, wallMs, stop });

export const inProcess = (): Promise<void> =>
  answerFromProcess(({ schema, json, chars }: SchemaWork) => findMisfits(schema, JSON.parse(json), chars));
