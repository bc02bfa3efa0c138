// Writes problems as SARIF 2.1.0 and as a GitLab code quality report.

import { wellFormed } from '../text/display.ts';
import { byGravity, type FilePlace, fingerprint, type Problem, type ProblemLevel, textOf } from './problem.ts';

interface SarifSource {
  version: string;
  /** ISO time. */
  at: string;
}

/** Returns the log as text; the same problems get the same fingerprints. */
export function sarifOf(problems: readonly Problem[], { version, at }: SarifSource): string {
  const placed = byGravity(problems).filter(({ place }) => place !== null);
  const rules = [...new Set(placed.map(({ rule }) => rule))];
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tollgate', version, rules: rules.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: !problems.some(({ level }) => level === 'error'),
            endTimeUtc: at,
            toolExecutionNotifications: byGravity(problems)
              .filter(({ place }) => place === null)
              .map((problem) => ({
                level: problem.level,
                message: { text: textOf(problem) },
                descriptor: { id: problem.rule },
              })),
          },
        ],
        results: placed.map((problem) => resultOf(problem, rules.indexOf(problem.rule))),
      },
    ],
  };
  return `${JSON.stringify(log)}\n`;
}

const ruleOf = (rule: string) => ({
  id: rule,
  shortDescription: { text: `${rule.replace('/', ': ').replaceAll('_', ' ')}` },
});

function resultOf(problem: Problem, ruleIndex: number) {
  const { rule, level, place, task_id, stage, signature } = problem;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: textOf(problem) },
    locations: [{ physicalLocation: locationOf(place!) }],
    partialFingerprints: { 'tollgateProblem/v1': fingerprint(problem) },
    properties: { task_id, stage, signature },
  };
}

function locationOf({ path, line, endLine }: FilePlace) {
  // A place without a line is the whole file, but services that show results require a line.
  const region = { startLine: line ?? 1, ...(endLine === null ? {} : { endLine }) };
  const artifactLocation = { uri: path.split('/').map(uriPart).join('/'), uriBaseId: '%SRCROOT%' };
  return { artifactLocation, region };
}

const uriPart = (part: string): string => encodeURIComponent(wellFormed(part));

/** Writes problems as a GitLab code quality report for merge requests. It accepts only problems at a file. */
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
