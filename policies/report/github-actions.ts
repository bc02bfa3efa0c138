// Writes a run's results for GitHub Actions: annotations of problems, the outputs of a step, and its summary.

import { readJsonAnswer } from '../gate/json-answer.ts';
import { visible, wellFormed } from '../text/display.ts';
import { byGravity, earlierWords, type Problem, type ProblemLevel } from './problem.ts';

/** One line each, the most serious first, because the service shows only the first few of a step. */
export const annotationsOf = (problems: readonly Problem[]): string =>
  byGravity(problems)
    .map((problem) => `${annotation(problem)}\n`)
    .join('');

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const satisfies Record<ProblemLevel, string>;

const MAX_TEXT = 4000;

function annotation({ level, place, task_id, stage, rule, text, earlier_at }: Problem): string {
  const where: [string, string | number | null][] = [
    ['file', place?.path ?? null],
    ['line', place?.line ?? null],
    ['endLine', place?.endLine ?? null],
    ['title', `${[task_id, stage].filter((word) => word !== null).join(' ')}: ${rule}`],
  ];
  const properties = where.flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${escapedProperty(String(value))}`],
  );
  return `::${COMMANDS[level]} ${properties.join(',')}::${escapedText(`${text.slice(0, MAX_TEXT)}${earlierWords(earlier_at)}`)}`;
}

/** Escapes the last part of a command: a command ends with its line, and `%` begins an escape. */
const escapedText = (text: string): string =>
  wellFormed(visible(text)).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string => escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** By name; a value may have many lines. */
type StepOutputs = Record<string, string>;

/** @param delimiter a text that the author of a value could not know. */
export const stepOutputLines = (outputs: StepOutputs, delimiter: string): string =>
  Object.entries(outputs)
    .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
    .join('');

/** Larger answers are only in their file: a job's outputs may have 1 MiB together. */
const MAX_ANSWER = 100_000;

/** The answer. A JSON object also gives `fields`, without the text around it, and `answer_NAME` for each field. */
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

/** Makes a Markdown page safe for a viewer that reads HTML and fetches pictures: a model's text is only shown. */
export const stepSummary = (page: string): string => visible(page).replaceAll('<', '&lt;').replaceAll('![', '!\\[');
