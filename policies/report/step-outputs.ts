// Writes the outputs of a CI job's step for later steps, in the format that GitHub Actions reads.

import { readJsonAnswer } from '../gate/json-answer.ts';

/** By name; a value may have many lines. */
export type StepOutputs = Record<string, string>;

/** @param delimiter a text that the author of a value could not know. */
export const stepOutputLines = (outputs: StepOutputs, delimiter: string): string =>
  Object.entries(outputs)
    .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
    .join('');

/** Larger answers are only in their file: a job's outputs may have 1 MiB together. */
const MAX_ANSWER = 100_000;

/**
 * Returns the answer. A JSON object is also returned as `fields`, without the text around it, and each field as `answer_NAME`.
 */
export function answerOutputs(answer: string): StepOutputs {
  if (answer.length > MAX_ANSWER) return { answer: '' };
  return { answer, ...fieldsOf(answer) };
}

const FIELD = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
const MAX_FIELDS = 100;

function fieldsOf(answer: string): StepOutputs {
  if (!/^(?:\{|`{3})/.test(answer.trimStart())) return {};
  const read = readJsonAnswer(answer);
  if (read.how !== 'read' || typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    return {};
  const fields = Object.entries(read.value).filter(([name]) => FIELD.test(name));
  const each = fields
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => [`answer_${name}`, typeof value === 'string' ? value : JSON.stringify(value)]);
  return { fields: JSON.stringify(read.value), ...Object.fromEntries(each) };
}
