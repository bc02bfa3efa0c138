// Formats the failure section of a run's summary page.

import { CLASSES } from '../../policies/facts/classes.ts';
import { ENDINGS } from '../../policies/facts/evidence.ts';
import { signalWords } from '../../policies/facts/exit-codes.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { oneLine } from '../../policies/text/display.ts';
import type { RunReport } from './report.ts';

const MAX_NAMED = 8;

/** The middle of the page: what failed, how, and which files contain the details. */
export function failureLines(failure: Failure, report: RunReport): string[] {
  const { evidence } = failure;
  return [
    `## ${report.state === 'refused' ? 'Refused' : 'Failed'}: ${failure.stage ?? 'before any stage'}`,
    '',
    `- Class: ${failure.class} (${failure.reason}): ${meaningOf(failure)}`,
    `- Evidence: ${evidence === null ? 'none' : `${oneLine(evidence.text, 300)} [${evidence.source}, rule ${evidence.rule}]`}`,
    ...findingLines(failure),
    ...missingLines(failure),
    ...endLines(failure, report),
    ...(failure.signature === null
      ? []
      : [
          `- Signature: ${failure.signature}, seen ${failure.count === 1 ? 'once' : `${failure.count} times`} in this run`,
        ]),
    `- Decision: ${failure.decision.action}; ${oneLine(failure.decision.why, 200)}`,
    ...(failure.retry_at === null ? [] : [`- Not before: ${failure.retry_at}`]),
    ...Object.entries(FILES).flatMap(([name, label]) =>
      failure.files[name] === undefined ? [] : [`- ${label}: ${failure.files[name]}`],
    ),
    '',
  ];
}

/** Some reasons are more precise than their class, or differ from it. */
const REASONS: Record<string, string> = {
  budget: "the task's own limit, not the service's",
  paused: 'another task of the batch had this failure before; no call was made',
  cancelled: 'the run was stopped',
  verdict_fail: 'the answer judges what it was to judge as not good enough',
  verdict_missing: 'the answer had to judge with PASS or FAIL, and does neither',
  max_turns: 'the turns were used up before there was an answer',
  prompt_changed: 'a prompt is another than the one that was answered; nothing was paid',
  not_prepared: 'the stage could not be begun; nothing was paid for it',
  judge_changed: 'files by which the task itself is judged were changed',
  answer_unreadable: 'the answer was there and cannot be read any more',
  refusal: 'the answer is a refusal',
  no_change: 'the stage had to change the working tree, and changed nothing',
  missing_sections: 'the answer lacks required sections, or they are empty',
  too_short: 'the answer has fewer lines with text than required',
  not_json: 'the answer had to be one JSON value, and is none',
  schema_mismatch: 'the answer does not fit the schema of its stage',
  schema_unchecked: 'whether the answer fits its schema could not be found out in time',
  no_diff: 'the answer had to hold a unified diff, and holds none',
  diff_does_not_apply: 'the diff of the answer does not fit the files that are there',
  diff_unclear: 'the diff of the answer touches files that its headers do not name',
  diff_unchecked: 'whether the diff of the answer applies could not be found out',
  diff_leaves_tree: 'the diff of the answer leads out of the working folder',
  acceptance_failed: 'the answer is there, and an acceptance command failed',
  save_session: 'the reasoner had the session saved',
  stalled: 'an instruction was kept, and nothing came of it',
};

/** Whether the loop of a supervision ended, and not one of its calls failed. */
export const isOfSupervision = (failure: Failure | null): boolean =>
  failure?.evidence?.rule?.startsWith('supervise-') === true;

const meaningOf = ({ class: errorClass, reason }: Failure): string =>
  REASONS[reason ?? ''] ?? CLASSES[errorClass].meaning;

function missingLines({ missing, changed, class: errorClass }: Failure): string[] {
  const what = errorClass === 'scope_violation' ? 'Out of bounds' : 'Missing';
  const named = missing.slice(0, MAX_NAMED).map((name) => `  - ${oneLine(name, 200)}`);
  const more = missing.length > MAX_NAMED ? [`  - and ${missing.length - MAX_NAMED} more`] : [];
  const shown = changed.slice(0, MAX_NAMED).join(', ');
  return [
    ...(missing.length === 0 ? [] : [`- ${what}:`, ...named, ...more]),
    ...(changed.length === 0
      ? []
      : [
          `- Changed so far: ${oneLine(shown, 300)}${changed.length > MAX_NAMED ? `, and ${changed.length - MAX_NAMED} more` : ''}`,
        ]),
  ];
}

/** Only files that exist are listed. */
const FILES = { out: 'Answer', err: 'Whole stderr', gate: "The gate's record" };

/** The first finding is the evidence. */
const findingLines = ({ findings = [] }: Failure): string[] =>
  findings.slice(1, MAX_NAMED).map(({ check, text }) => `- Gate found too (${check}): ${oneLine(text, 300)}`);

/** One exit code per line, each with the process that it belongs to. */
function endLines(failure: Failure, { exit_code, stages }: RunReport): string[] {
  // Its calls succeeded, or are in the table with their failures.
  if (isOfSupervision(failure)) return [`- Exit code of the run: ${exit_code}`];
  const { ending, signal, native_exit_code, tool } = failure;
  const wrapper = stages.find(({ stage }) => stage === failure.stage)?.exit_code ?? null;
  const cli = tool ?? 'the CLI';
  return [
    `- Ending: ${ending === null ? 'nothing was started' : `${ending}: ${ENDINGS[ending]}`}`,
    `- Exit code of the run: ${exit_code}`,
    ...(wrapper === null ? [] : [`- Exit code of the call: ${wrapper}`]),
    ...(native_exit_code === null ? [] : [`- Exit code of ${cli} itself: ${native_exit_code}`]),
    ...(signal === null
      ? []
      : [
          `- Signal that ended ${cli}: ${OURS.has(ending ?? '') ? `${signal}, sent by tollgate` : signalWords(signal)}`,
        ]),
  ];
}

/** For these endings, the wrapper itself ends the CLI. */
const OURS: ReadonlySet<string> = new Set([
  'timed_out',
  'idle',
  'max_turns',
  'overflowed',
  'retry_cut',
  'requirement_unmet',
  'lingered',
  'cancelled',
]);

export function stderrLines({ stderr_head, stderr_tail }: Failure, room: number): string[] {
  if (stderr_head.length === 0 || room < 6) return [];
  const all = [...stderr_head, ...(stderr_tail.length > 0 ? ['[...]', ...stderr_tail] : [])];
  const shown =
    all.length <= room - 5
      ? all
      : [...all.slice(0, Math.floor((room - 6) / 2)), '[...]', ...all.slice(-Math.floor((room - 6) / 2))];
  return ['', '## stderr, first and last lines', '', ...shown.map((line) => `    ${oneLine(line, 300)}`)];
}
