// Writes problems as a GitLab code quality report for merge requests. It accepts only problems at a file.

import { byGravity, fingerprint, type Problem, type ProblemLevel, textOf } from './problem.ts';

const SEVERITIES = { error: 'critical', warning: 'major', note: 'info' } as const satisfies Record<
  ProblemLevel,
  string
>;

/** Findings that a review calls minor remain minor. */
const REVIEWED: Readonly<Record<string, 'minor'>> = { 'review/minor': 'minor', 'review/low': 'minor' };

/** Returns one JSON array. An entry whose fingerprint is known from before is not reported as new. */
export function codeQualityOf(problems: readonly Problem[]): string {
  const entries = new Map(
    byGravity(problems).flatMap((problem) => {
      const { rule, level, place } = problem;
      if (place === null) return [];
      const lines = { begin: place.line ?? 1, ...(place.endLine === null ? {} : { end: place.endLine }) };
      const print = fingerprint(problem);
      return [
        [
          print,
          {
            description: textOf(problem),
            check_name: rule,
            fingerprint: print,
            severity: REVIEWED[rule] ?? SEVERITIES[level],
            location: { path: place.path, lines },
          },
        ],
      ];
    }),
  );
  return `${JSON.stringify([...entries.values()])}\n`;
}
