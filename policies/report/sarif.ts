// Writes problems as SARIF 2.1.0: those at a file are results, all others are notifications of the run.

import { wellFormed } from '../text/well-formed.ts';
import { byGravity, type FilePlace, fingerprint, type Problem, textOf } from './problem.ts';

/** The origin of the problems. */
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
