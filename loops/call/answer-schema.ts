// Holds a call to the JSON Schema that its caller gave: requests it from the CLI, and checks the answer before it counts.

import { isSuccess, visibleChars } from '../../policies/facts/evidence.ts';
import type { Requirements } from '../../policies/facts/requirements.ts';
import { readJsonAnswer } from '../../policies/gate/json-answer.ts';
import { parseObject } from '../../policies/text/json.ts';
import { readFollowed } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import type { Outcome } from '../../wrappers/run.ts';
import type { RecordableCall } from '../attempt/phases.ts';
import { checkFit } from '../gate/fit.ts';
import { checkSchema } from '../gate/schema.ts';

type Schema = NonNullable<Requirements['schema']>;

const MAX_SCHEMA_BYTES = 256 * 1024;
/** A deeper one would overflow the stack of a function that goes through it. */
const MAX_DEPTH = 500;

/** `before`: the text before the prompt that requests the form; empty if the CLI has a flag for it. */
export interface AnswerForm {
  /** null: the CLI gets the value as it is, and refuses it. */
  schema: Schema | null;
  before: string;
}

/**
 * Reads the value of --json-schema.
 * @param given JSON, or the file that holds it.
 * @returns the schema, or a sentence that says what is wrong with it.
 */
export async function readAnswerForm(adapter: Adapter, given: string): Promise<AnswerForm | string> {
  const isInline = given.trimStart().startsWith('{');
  const where = isInline ? '--json-schema' : `--json-schema ${given}`;
  let text = given;
  try {
    if (!isInline) text = readFollowed(given, MAX_SCHEMA_BYTES);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `${where}: ${error.message}; give a file, or JSON that begins with {`;
  }
  // `trim` also removes the byte order mark.
  const schema = parseObject(text.trim());
  const mistake = await mistakeIn(schema);
  if (schema === null || mistake !== null)
    return isInline && adapter.answerSchema?.refusesItself ? { schema: null, before: '' } : `${where} ${mistake}`;
  return { schema, before: adapter.answerSchema?.takes(schema) === true ? '' : promptFor(schema) };
}

/** @returns the rest of a sentence, or null. */
async function mistakeIn(schema: Schema | null): Promise<string | null> {
  if (schema === null) return 'is not a JSON object; expected a JSON Schema';
  const mistake = isTooDeep(schema) ? 'it is nested too deeply' : await checkSchema(schema);
  return mistake === null ? null : `is not a JSON Schema: ${mistake}`;
}

function isTooDeep(schema: Schema): boolean {
  let level: unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}

const promptFor = (schema: Schema): string =>
  `Answer with one JSON value that fits this JSON Schema, and with nothing else: no other text, no code block.\n\n${JSON.stringify(schema, null, 2)}\n\n`;

/**
 * Checks the answer of a successful call. The check takes at most five seconds, whatever the schema is.
 * @returns the outcome with the JSON alone as its answer, or as a failure that says what does not fit.
 */
export async function heldToSchema({ request, redactor }: RecordableCall, outcome: Outcome): Promise<Outcome> {
  const { capture } = outcome;
  const schema = request.call.requires?.schema;
  if (schema === undefined || !isSuccess({ ...capture, answerChars: visibleChars(capture.answer) })) return outcome;
  const read = readJsonAnswer(capture.answer);
  const finding =
    read.how === 'invalid'
      ? read.finding
      : (await checkFit(schema, read.value, read.text.length, { redact: redactor.redact, stop: NEVER })).finding;
  if (finding === null && read.how === 'read') return { ...outcome, capture: { ...capture, answer: read.text } };
  const failure = { message: finding!.text, code: finding!.reason };
  return { ...outcome, capture: { ...capture, completed: false, failure } };
}

/** For the record that is published before the end: an answer that is not checked yet does not count. */
export const notYetHeld = ({ request }: RecordableCall, soFar: Outcome): Outcome =>
  request.call.requires?.schema === undefined ? soFar : { ...soFar, capture: { ...soFar.capture, completed: false } };

/** A stop that arrives after the CLI has ended does not make an unchecked answer count. */
const NEVER = new AbortController().signal;
