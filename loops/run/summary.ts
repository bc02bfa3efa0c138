// The page of a run: at most 80 lines, complete for a reader that has nothing else.

import path from 'node:path';
import { CLASSES } from '../../policies/classes.ts';
import { leftOutSentence, leftOutWords, NAMED_IN_WARNING } from '../../policies/prompt/left-out.ts';
import type { Failure } from '../../policies/task-failure.ts';
import { visible } from '../../policies/visible-text.ts';
import type { SessionUse } from '../session/resolve.ts';
import type { RunReport, StageReport } from './report.ts';

const MAX_LINES = 80;
const MAX_STAGES = 12;
const MAX_NAMED = 8;
const MAX_NEXT = 6;

/** The summary: at most 80 lines, complete for a reader that has nothing else. */
export function renderSummary(report: RunReport): string {
  const { failure, budget } = report;
  const head = [
    `# Task ${report.task_id}: ${headline(report)}`,
    '',
    `Goal: ${oneLine(report.goal, 200)}`,
    '',
    ...stageRows(report.stages),
    '',
    ...(failure === null ? [] : failureLines(failure, report.state === 'refused' ? 'Refused' : 'Failed')),
    `Budget: ${budget.used} of ${budget.total} paid calls used, ${budget.left} left${spentWords(report)}.`,
    ...sessionLine(report.stages),
    ...leftOutLines(report.stages),
    ...noteLines([...new Set([...report.notes, ...report.stages.flatMap(otherWarnings)])]),
    ...(report.next_actions.length === 0
      ? []
      : ['', 'Next:', ...report.next_actions.slice(0, MAX_NEXT).map((action) => `- ${oneLine(action, 300)}`)]),
    `Files: ${report.files.outputs}${path.sep}`,
  ];
  const room = MAX_LINES - head.length;
  const stderr = failure === null ? [] : stderrLines(failure, Math.max(0, room));
  return visible(`${[...head, ...stderr].join('\n')}\n`);
}

function headline({ state, failure }: RunReport): string {
  if (state === 'done') return 'done';
  if (state === 'interrupted') return 'interrupted';
  if (state === 'refused') return `refused (${failure?.reason}), nothing was run`;
  return `failed at ${failure?.stage ?? 'the start'}, ${failure?.class} (${failure?.reason})`;
}

/** What is unknown is counted apart, never as nothing. */
function spentWords({ spent, limits }: RunReport): string {
  const { tokens, usd, calls_without_tokens, calls_without_price } = spent;
  const ofTokens = limits.max_tokens === null ? '' : ` of ${limits.max_tokens}`;
  const ofUsd = limits.max_usd === null ? '' : ` of $${limits.max_usd}`;
  return [
    tokens > 0 || ofTokens ? `; ${tokens}${ofTokens} tokens` : '',
    calls_without_tokens > 0 && (tokens > 0 || ofTokens) ? ` (${calls_without_tokens} calls did not say)` : '',
    usd > 0 || ofUsd ? `; $${usd.toFixed(4)}${ofUsd}` : '',
    calls_without_price > 0 && (usd > 0 || ofUsd) ? ` (${calls_without_price} calls without a price)` : '',
  ].join('');
}

/** With a column of verdicts where any was given. */
function stageRows(stages: readonly StageReport[]): string[] {
  const judged = stages.some(({ verdict }) => verdict !== null);
  const row = (cells: readonly (string | number)[], verdict: string) =>
    `| ${[...cells, ...(judged ? [verdict] : [])].join(' | ')} |`;
  const rows = stages.map(({ stage, state, exit_code, duration_ms, calls, gate, verdict }) =>
    row(
      [
        stage,
        `${state.replace('_', ' ')}${gate === 'failed' ? ' (gate)' : ''}`,
        exit_code ?? '-',
        duration_ms === null ? '-' : `${(duration_ms / 1000).toFixed(1)} s`,
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

function failureLines(failure: Failure, what: 'Failed' | 'Refused'): string[] {
  const { evidence } = failure;
  return [
    `## ${what}: ${failure.stage ?? 'before any stage'}`,
    '',
    `- Class: ${failure.class} (${failure.reason}): ${meaningOf(failure)}`,
    `- Evidence: ${evidence === null ? 'none' : `${oneLine(evidence.text, 300)} [${evidence.source}, rule ${evidence.rule}]`}`,
    ...missingLines(failure),
    `- Ending: ${failure.ending ?? 'not started'}, exit ${failure.exit_code}; the CLI's own: ${failure.signal ?? failure.native_exit_code ?? 'none'}`,
    ...(failure.signature === null
      ? []
      : [
          `- Signature: ${failure.signature}, seen ${failure.count === 1 ? 'once' : `${failure.count} times`} in this run`,
        ]),
    `- Decision: ${failure.decision.action}; ${oneLine(failure.decision.why, 200)}`,
    ...(failure.retry_at === null ? [] : [`- Not before: ${failure.retry_at}`]),
    '',
  ];
}

/** Some reasons say more than their class, or something else. */
const REASONS: Record<string, string> = {
  budget: "the task's own limit, not the service's",
  paused: 'another task of the batch met this before; nothing was asked',
  cancelled: 'the run was told to stop',
  verdict_fail: 'the answer judges what it was to judge as not good enough',
  max_turns: 'the turns were used up before there was an answer',
  prompt_changed: 'a prompt is another than the one that was answered; nothing was paid',
  not_prepared: 'the stage could not be begun; nothing was paid for it',
  judge_changed: 'files by which the task itself is judged were changed',
  answer_unreadable: 'the answer was there and cannot be read any more',
  refusal: 'the answer is a refusal',
  no_change: 'the stage had to change the working tree, and changed nothing',
  missing_sections: 'the answer lacks sections that were asked for, or they are empty',
  too_short: 'the answer has fewer lines with text than were asked for',
  not_json: 'the answer had to be one JSON value, and is none',
  schema_mismatch: 'the answer does not fit the schema of its stage',
  schema_unchecked: 'whether the answer fits its schema could not be found out in time',
  no_diff: 'the answer had to hold a unified diff, and holds none',
  diff_does_not_apply: 'the diff of the answer does not fit the files that are there',
  diff_unclear: 'the diff of the answer touches files that its headers do not name',
  diff_unchecked: 'whether the diff of the answer applies could not be found out',
  diff_leaves_tree: 'the diff of the answer leads out of the working folder',
  acceptance_failed: 'the answer is there, and an acceptance command failed',
};

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

const MAX_LEFT_OUT = 6;

/** By name and size, over all stages: an answer to half of something is read as one to the whole. */
function leftOutLines(stages: readonly StageReport[]): string[] {
  const lines = stages.flatMap(({ stage, left_out }) => left_out.map((part) => `- ${stage}: ${leftOutWords(part)}`));
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LEFT_OUT;
  return [
    'Left out of the prompts (context.digest_policy):',
    ...lines.slice(0, MAX_LEFT_OUT).map((line) => oneLine(line, 300)),
    ...(more > 0 ? [`- and ${more} more, in the report of --json`] : []),
  ];
}

/** The sentence about it in the record says the same. */
function otherWarnings({ stage, warnings, left_out }: StageReport): string[] {
  const said = `${stage}: ${leftOutSentence(left_out, NAMED_IN_WARNING)}`;
  return warnings.filter((warning) => warning !== said);
}

const MAX_NOTES = 4;

function noteLines(notes: readonly string[]): string[] {
  const more = notes.length - MAX_NOTES;
  return [
    ...notes.slice(0, MAX_NOTES).map((note) => `Note: ${oneLine(note, 300)}`),
    ...(more > 0 ? [`Note: and ${more} more, in the report of --json`] : []),
  ];
}

const COME_BY = {
  new: 'new',
  resumed: 'gone on with',
  recovered: 'found again',
  named: 'named by the manifest',
} as const satisfies Record<SessionUse, string>;

function sessionLine(stages: readonly StageReport[]): string[] {
  const sessions = stages.flatMap(({ stage, session_id, session }) =>
    session_id === null ? [] : [`${stage} ${session_id}${session === null ? '' : ` (${COME_BY[session]})`}`],
  );
  return sessions.length === 0 ? [] : [`Sessions: ${sessions.slice(0, 6).join(', ')}`];
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

const oneLine = (text: string, max: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
};
