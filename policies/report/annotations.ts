// Writes problems as workflow commands of GitHub Actions, which GitHub shows at their file and line.

import { visible } from '../text/visible-text.ts';
import { wellFormed } from '../text/well-formed.ts';
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
