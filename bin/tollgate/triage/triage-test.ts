// Implements tollgate triage --test: classifies labelled cases by the rules in force, and reports where they differ.

import { judgeCases } from '../../../loops/report/triage.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { Rule } from '../../../policies/rules/rule.ts';
import {
  type Clash,
  type Difference,
  differences,
  type Judged,
  merges,
  splits,
} from '../../../policies/verdict/labelled-case.ts';
import { readCorpus } from '../../../state/corpus.ts';
import type { Ran } from '../../ran.ts';
import { hidden, hiddenVerdict } from '../secrets.ts';

/** @param own the project's rows of `tollgate.yaml`, tried before the built-in ones. */
export function testCorpus(corpus: string, own: readonly Rule[], say: 'text' | 'json'): Ran {
  const read = readCorpus(corpus, process.cwd());
  if (read.how === 'invalid')
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate triage: --test: ${read.message}\n` };
  const results = judgeCases(read.cases, own);
  const failed = results
    .map((one) => ({ ...one, differs: differences(one.labelled.label, one.verdict) }))
    .filter(({ differs }) => differs.length > 0);
  const found: Found = { cases: results.length, failed, merged: merges(results), split: splits(results) };
  const isRight = failed.length + found.merged.length + found.split.length === 0;
  const exit = isRight ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure;
  if (say === 'json') return { exit, out: `${JSON.stringify(forMachines(found))}\n` };
  const details = [
    ...failed.flatMap(linesOfCase),
    ...found.merged.flatMap((clash) => linesOfClash(clash, 'failures have one signature')),
    ...found.split.flatMap((clash) => linesOfClash(clash, 'signatures for one failure')),
  ];
  return { exit, out: [...details, sumOf(found)].map((line) => `${line}\n`).join('') };
}

interface Found {
  cases: number;
  failed: (Judged & { differs: Difference[] })[];
  merged: Clash[];
  split: Clash[];
}

function linesOfCase({ labelled, verdict, differs }: Found['failed'][number]): string[] {
  const { evidence } = verdict;
  return [
    `${labelled.id}  ${labelled.file}:${labelled.line}`,
    ...differs.map(
      ({ what, expected, got }) => `  ${what}: expected ${shown(expected, what)}, got ${shown(got, what)}`,
    ),
    evidence === null
      ? '  judged a success by its terminal event, or by its exit code and an answer'
      : `  by rule ${evidence.rule} [${evidence.source}]: ${oneLine(hidden(evidence.text))}`,
    '',
  ];
}

const linesOfClash = ({ name, groups }: Clash, what: string): string[] => [
  `${groups.size} ${what}: ${name}`,
  ...[...groups].map(([group, ones]) => `  ${group}: ${ones.map(({ labelled }) => labelled.id).join(', ')}`),
  '',
];

function sumOf({ cases, failed, merged, split }: Found): string {
  const right = cases - failed.length;
  return `${cases} ${cases === 1 ? 'case' : 'cases'}: ${right} judged as labelled, ${failed.length} not; false merges: ${merged.length}, splits: ${split.length}`;
}

const forMachines = ({ cases, failed, merged, split }: Found) => ({
  schema: 1,
  cases,
  as_labelled: cases - failed.length,
  failed: failed.map(({ labelled, verdict, differs, signature }) => ({
    id: labelled.id,
    file: labelled.file,
    line: labelled.line,
    differs,
    verdict: hiddenVerdict(verdict),
    signature,
  })),
  merges: merged.map(({ name, groups }) => ({ signature: name, failures: idsOf(groups) })),
  splits: split.map(({ name, groups }) => ({ failure: name, signatures: idsOf(groups) })),
});

const idsOf = (groups: Clash['groups']): Record<string, string[]> =>
  Object.fromEntries([...groups].map(([name, ones]) => [name, ones.map(({ labelled }) => labelled.id)]));

const shown = (value: string | null, what: Difference['what']): string =>
  value ?? (what === 'class' ? 'success' : 'none');

/** A terminal executes control characters. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 200);
