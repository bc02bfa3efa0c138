// What a run leaves for its reader: the facts of the report, and the page made of them.

import path from 'node:path';
import { CLASSES } from '../../policies/classes.ts';
import type { Failure } from '../../policies/task-failure.ts';

export type StageState = 'done' | 'done_earlier' | 'failed' | 'pending' | 'interrupted';

export interface StageReport {
  stage: string;
  state: StageState;
  exit_code: number | null;
  duration_ms: number | null;
  /** Paid calls of this run. */
  calls: number;
  session_id: string | null;
  warnings: string[];
}

export interface RunReport {
  schema: 1;
  task_id: string;
  goal: string;
  state: 'done' | 'failed' | 'interrupted';
  exit_code: number;
  stages: StageReport[];
  failure: Failure | null;
  budget: { used: number; total: number; left: number };
  files: { summary: string; stats: string; last_failure: string | null; outputs: string };
  next_actions: string[];
  notes: string[];
}

const MAX_LINES = 80;
const MAX_STAGES = 12;

/** The summary: at most 80 lines, complete for a reader that has nothing else. */
export function renderSummary(report: RunReport): string {
  const { failure, budget } = report;
  const head = [
    `# Task ${report.task_id}: ${headline(report)}`,
    '',
    `Goal: ${oneLine(report.goal, 200)}`,
    '',
    '| stage | state | exit | time | paid calls |',
    '|---|---|---|---|---|',
    ...stageRows(report.stages),
    '',
    ...(failure === null ? [] : failureLines(failure)),
    `Budget: ${budget.used} of ${budget.total} paid calls used, ${budget.left} left.`,
    ...sessionLine(report.stages),
    ...[...new Set([...report.notes, ...report.stages.flatMap((stage) => stage.warnings)])]
      .slice(0, 4)
      .map((note) => `Note: ${oneLine(note, 200)}`),
    ...(report.next_actions.length === 0
      ? []
      : ['', 'Next:', ...report.next_actions.slice(0, 5).map((action) => `- ${action}`)]),
    `Files: ${report.files.outputs}${path.sep}`,
  ];
  const room = MAX_LINES - head.length;
  const stderr = failure === null ? [] : stderrLines(failure, Math.max(0, room));
  return `${[...head, ...stderr].join('\n')}\n`;
}

function headline({ state, failure }: RunReport): string {
  if (state === 'done') return 'done';
  if (state === 'interrupted') return 'interrupted';
  return `failed at ${failure?.stage ?? 'the start'}, ${failure?.class} (${failure?.reason})`;
}

function stageRows(stages: readonly StageReport[]): string[] {
  const rows = stages.map(
    ({ stage, state, exit_code, duration_ms, calls }) =>
      `| ${stage} | ${state.replace('_', ' ')} | ${exit_code ?? '-'} | ${duration_ms === null ? '-' : `${(duration_ms / 1000).toFixed(1)} s`} | ${calls} |`,
  );
  if (rows.length <= MAX_STAGES) return rows;
  const more = rows.length - MAX_STAGES;
  return [
    ...rows.slice(0, MAX_STAGES),
    `| ${more} more | ${stages.slice(MAX_STAGES).filter((s) => s.state.startsWith('done')).length} done | | | |`,
  ];
}

function failureLines(failure: Failure): string[] {
  const { evidence } = failure;
  return [
    `## Failed: ${failure.stage ?? 'before any stage'}`,
    '',
    `- Class: ${failure.class} (${failure.reason}): ${CLASSES[failure.class].meaning}`,
    `- Evidence: ${evidence === null ? 'none' : `${oneLine(evidence.text, 300)} [${evidence.source}, rule ${evidence.rule}]`}`,
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

function sessionLine(stages: readonly StageReport[]): string[] {
  const sessions = stages.flatMap(({ stage, session_id }) => (session_id === null ? [] : [`${stage} ${session_id}`]));
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
