// Renders the summary page of a run: at most 80 lines, complete for a reader who has no other source.

import path from 'node:path';
import { ENDED_BY_US, ENDINGS } from '../../policies/facts/evidence.ts';
import { signalWords } from '../../policies/facts/exit-codes.ts';
import { actionLine } from '../../policies/facts/next-action.ts';
import { NAMED_IN_WARNING, omissionSentence, omissionWords } from '../../policies/prompt/omissions.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { iterationTable } from '../../policies/supervise/supervise-text.ts';
import { counted, dollars, figure, oneLine, tookWords, visible } from '../../policies/text/display.ts';
import type { SessionUse } from '../task/attempt-request.ts';
import { notifiedLines } from '../upkeep/notified.ts';
import type { RunReport, StageReport } from './report.ts';

const MAX_LINES = 80;
const MAX_STAGES = 12;
const MAX_NEXT = 6;

export function renderSummary(report: RunReport): string {
  const { failure } = report;
  const head = [
    `# Task ${report.task_id}: ${headline(report)}`,
    '',
    ...(failure === null ? [] : [failureSentence(failure), '']),
    `Goal: ${oneLine(report.goal, 200)}`,
    '',
    ...stageRows(report.stages),
    '',
    ...supervisionLines(report),
    ...(failure === null ? doneLines(report) : failureLines(failure, report)),
    `Budget: ${costWords(report)}.`,
    ...sessionLine(report.stages),
    ...leftOutLines(report.stages),
    ...lines('Note', [...report.notes, ...report.stages.flatMap((stage) => stage.notes)]),
    ...lines('Warning', report.stages.flatMap(otherWarnings)),
    ...notifiedLines(report.notified ?? []),
    ...(report.next_actions.length === 0
      ? []
      : [
          '',
          'Next:',
          ...report.next_actions
            .slice(0, MAX_NEXT)
            .map((action) => `- ${actionLine({ ...action, text: oneLine(action.text, MAX_SENTENCE) })}`),
          '',
        ]),
    `Files: ${report.files.outputs}${path.sep}`,
  ];
  const room = MAX_LINES - head.length;
  const stderr = failure === null ? [] : stderrLines(failure, Math.max(0, room));
  return visible(`${[...head, ...stderr].join('\n')}\n`);
}

const MAX_ITERATIONS = 12;
const MAX_INSTRUCTION = 500;
/** The user may have only this page when answering the question. */
const MAX_QUESTION = 2000;

/** Iteration, error count, action and instruction; then the question, and the current instruction. */
function supervisionLines({ supervision, state }: RunReport): string[] {
  if (supervision === undefined) return [];
  const { iterations, question, summary, instruction, changed } = supervision;
  return [
    ...iterationTable(iterations, MAX_ITERATIONS),
    '',
    ...(summary === null ? [] : [`Done: ${oneLine(summary, MAX_INSTRUCTION)}`]),
    ...(question === null ? [] : [`Question: ${oneLine(question, MAX_QUESTION)}`]),
    ...(state === 'done' ? [] : [`Current instruction: ${oneLine(instruction, MAX_INSTRUCTION)}`]),
    ...(changed.length === 0
      ? []
      : [`Changed since it began: ${oneLine(capped(changed, MAX_CHANGED).join(', '), 600)}`]),
    '',
  ];
}

export function headline({ state, failure, supervision }: RunReport): string {
  if (state === 'done') return 'done';
  if (state === 'parked') return 'waits for an answer';
  if (state === 'interrupted') return 'interrupted';
  if (state === 'refused') return `refused (${failure?.reason}), nothing was run`;
  if (supervision !== undefined && isOfSupervision(failure))
    return `${supervision.how === 'saved' ? 'session saved' : 'stopped'} in iteration ${supervision.iteration}: ${failure!.decision.why}`;
  return `failed at ${failure?.stage ?? 'the start'}, ${failure?.class} (${failure?.reason})`;
}

/** What the task has paid, and may still pay. */
export const costWords = (report: RunReport): string =>
  `${report.budget.used} of ${report.budget.total} paid calls used, ${report.budget.left} left${spentWords(report)}`;

/** An unknown value is always named, and never counted as zero. */
function spentWords({ spent, limits }: RunReport): string {
  const { tokens, usd, calls_without_tokens, calls_without_price } = spent;
  const ofTokens = limits.max_tokens === null ? '' : ` of ${figure(limits.max_tokens)}`;
  const ofUsd = limits.max_usd === null ? '' : ` of $${limits.max_usd}`;
  const known = (figure: string, unknown: number) =>
    `; ${figure}${unknown > 0 ? ` (unknown for ${counted(unknown, 'call')})` : ''}`;
  const ofNone = (what: string, unknown: number) => (unknown > 0 ? `; ${what} unknown` : '');
  return [
    tokens > 0 || ofTokens
      ? known(`${figure(tokens)}${ofTokens} tokens`, calls_without_tokens)
      : ofNone('tokens', calls_without_tokens),
    usd > 0 || ofUsd ? known(`${dollars(usd)}${ofUsd}`, calls_without_price) : ofNone('price', calls_without_price),
  ].join('');
}

/** With a column of verdicts if there are any. */
function stageRows(stages: readonly StageReport[]): string[] {
  const judged = stages.some(({ verdict }) => verdict !== null);
  const row = (cells: readonly (string | number)[], verdict: string) =>
    `| ${[...cells, ...(judged ? [verdict] : [])].join(' | ')} |`;
  const rows = stages.map(({ stage, state, exit_code, duration_ms, calls, gate, verdict, checked_at, checked_by }) =>
    row(
      [
        stage,
        `${state.replace('_', ' ')}${gate === 'failed' ? ' (gate)' : ''}${earlierWords(state, checked_at, checked_by)}`,
        exit_code ?? '-',
        duration_ms === null ? '-' : tookWords(duration_ms),
        calls,
      ],
      verdict ?? '-',
    ),
  );
  const head = [row(['stage', 'state', 'exit', 'time', 'paid calls'], 'verdict'), `|${'---|'.repeat(judged ? 6 : 5)}`];
  if (rows.length <= MAX_STAGES) return [...head, ...rows];
  const done = stages.slice(MAX_STAGES).filter(({ state }) => state.startsWith('done')).length;
  return [
    ...head,
    ...rows.slice(0, MAX_STAGES),
    row([`${rows.length - MAX_STAGES} more`, `${done} done`, '', '', ''], ''),
  ];
}

/** For a stage that was finished by an earlier run. */
function earlierWords(state: string, at: string | null, by: StageReport['checked_by']): string {
  if (state !== 'done_earlier' || by === null) return '';
  return by === 'last_run' ? ', passed again' : ` (${at!.slice(0, 16)}Z)`;
}

const MAX_LEFT_OUT = 6;

/** Names and sizes of omitted parts over all stages, so that half a text is not taken for all of it. */
function leftOutLines(stages: readonly StageReport[]): string[] {
  const lines = stages.flatMap(({ stage, left_out }) => left_out.map((part) => `- ${stage}: ${omissionWords(part)}`));
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LEFT_OUT;
  return [
    'Left out of the prompts (context.digest_policy):',
    ...lines.slice(0, MAX_LEFT_OUT).map((line) => oneLine(line, MAX_SENTENCE)),
    ...(more > 0 ? [`- and ${more} more, in the report of --json`] : []),
  ];
}

/** Drops the warning in the record that says the same as the lines about omitted parts. */
function otherWarnings({ stage, warnings, left_out }: StageReport): string[] {
  const said = `${stage}: ${omissionSentence(left_out, NAMED_IN_WARNING)}`;
  return warnings.filter((warning) => warning !== said);
}

const MAX_NOTES = 4;
/** Characters of a sentence that may name files: a path alone may have hundreds. */
const MAX_SENTENCE = 1000;

/** Remarks and possible problems, separate from the findings. */
function lines(label: 'Note' | 'Warning', all: readonly string[]): string[] {
  const distinct = [...new Set(all)];
  const more = distinct.length - MAX_NOTES;
  return [
    ...distinct.slice(0, MAX_NOTES).map((one) => `${label}: ${oneLine(one, MAX_SENTENCE)}`),
    ...(more > 0 ? [`${label}: and ${more} more, in the report of --json`] : []),
  ];
}

/** The results: the answers, the changes, and the commands that passed. */
function doneLines({ stages, supervision, commit }: RunReport): string[] {
  const answers = stages.flatMap(({ stage, answer }) => (answer === null ? [] : [`- Answer of ${stage}: ${answer}`]));
  // For a supervision, the changes are listed above.
  const changed = supervision === undefined ? [...new Set(stages.flatMap((stage) => stage.changed))] : [];
  const passed = stages.flatMap((stage) => stage.passed_commands);
  const list = [
    ...capped(answers, MAX_DONE),
    ...(changed.length === 0 ? [] : [`- Changed: ${oneLine(capped(changed, MAX_CHANGED).join(', '), 600)}`]),
    ...capped(
      passed.map((command) => `- Acceptance passed: \`${oneLine(command, 120)}\``),
      MAX_DONE,
    ),
    ...(commit
      ? [`- Commit: ${commit.id} on ${commit.branch ?? 'a detached HEAD'}, ${counted(commit.files.length, 'file')}`]
      : []),
  ];
  return list.length === 0 ? [] : [...list, ''];
}

const MAX_DONE = 8;
const MAX_CHANGED = 12;

const capped = (all: readonly string[], max: number): string[] =>
  all.length <= max ? [...all] : [...all.slice(0, max), `and ${all.length - max} more`];

const COME_BY = {
  new: 'new',
  resumed: 'continued',
  recovered: 'found again',
  named: 'named by the manifest',
} as const satisfies Record<SessionUse, string>;

function sessionLine(stages: readonly StageReport[]): string[] {
  const sessions = stages.flatMap(({ stage, session_id, session }) =>
    session_id === null ? [] : [`${stage} ${session_id}${session === null ? '' : ` (${COME_BY[session]})`}`],
  );
  return sessions.length === 0 ? [] : [`Sessions: ${sessions.slice(0, 6).join(', ')}`];
}

const MAX_NAMED = 8;

/** The middle of the page: what failed, how, and which files contain the details. */
function failureLines(failure: Failure, report: RunReport): string[] {
  const { evidence } = failure;
  return [
    `## ${report.state === 'refused' ? 'Refused' : 'Failed'}: ${failure.stage ?? 'before any stage'}`,
    '',
    `- Class: ${failure.class} (${failure.reason})`,
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

/** Whether the loop of a supervision ended, and not one of its calls failed. */
const isOfSupervision = (failure: Failure | null): boolean =>
  failure?.evidence?.rule?.startsWith('supervise-') === true;

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
          `- Signal that ended ${cli}: ${ENDED_BY_US.has(ending ?? '') ? `${signal}, sent by tollgate` : signalWords(signal)}`,
        ]),
  ];
}

function stderrLines({ stderr_head, stderr_tail }: Failure, room: number): string[] {
  if (stderr_head.length === 0 || room < 6) return [];
  const all = [...stderr_head, ...(stderr_tail.length > 0 ? ['[...]', ...stderr_tail] : [])];
  const shown =
    all.length <= room - 5
      ? all
      : [...all.slice(0, Math.floor((room - 6) / 2)), '[...]', ...all.slice(-Math.floor((room - 6) / 2))];
  return ['', '## stderr, first and last lines', '', ...shown.map((line) => `    ${oneLine(line, 300)}`)];
}
