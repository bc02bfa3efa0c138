// Problems as a code quality report of GitLab, which shows them in a merge request: those at a file alone, for it takes no others.

import { byGravity, fingerprint, type Problem, type ProblemLevel, textOf } from './problem.ts';

const SEVERITIES = { error: 'critical', warning: 'major', note: 'info' } as const satisfies Record<
  ProblemLevel,
  string
>;

/** What a review itself calls minor stays minor. */
const REVIEWED: Readonly<Record<string, 'minor'>> = { 'review/minor': 'minor', 'review/low': 'minor' };

/** One JSON array; an entry whose fingerprint was there before is not told as new. */
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
