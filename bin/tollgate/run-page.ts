// Shows the end of a run on a terminal: the headline, its evidence, what to do next, and what it cost.

import path from 'node:path';
import type { RunReport } from '../../loops/run/report.ts';
import { costWords, headline } from '../../loops/run/summary.ts';
import { isNote, noteOf, personLine } from '../../policies/facts/next-action.ts';
import { failureSentence, isInSentence } from '../../policies/report/failure-sentence.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { printable, shellWord, visible } from '../../policies/text/display.ts';
import { coloursOf, type Paint, type Sheet } from '../sheet.ts';
import { labelLines } from '../table.ts';

export const MARKS: Record<RunReport['state'], [mark: string, paint: Paint]> = {
  done: ['✓', 'green'],
  failed: ['✗', 'red'],
  refused: ['✗', 'red'],
  interrupted: ['■', 'yellow'],
  parked: ['?', 'yellow'],
};

type Row = [label: string, text: string];

export function runPage(report: RunReport, { ink }: Sheet): string {
  const colours = coloursOf(ink);
  const { failure, stages, next_actions } = report;
  const [mark, paint] = MARKS[report.state];
  const rows: Row[] = [
    ...(failure === null ? resultRows(report) : evidenceRows(failure)),
    ...supervisionRows(report),
    ...nextRows(next_actions, stages),
    ...cappedRows(
      'warning',
      stages.flatMap(({ warnings }) => warnings),
    ),
    ...cappedRows('note', [
      ...next_actions.filter(isNote).map(noteOf),
      ...report.notes.filter((note) => !next_actions.some(({ command }) => command && note.includes(command))),
      ...stages.flatMap(({ notes }) => notes),
    ]),
    ['cost', costWords(report)],
    ['summary', near(report.files.summary)],
  ];
  return `${[
    '',
    colours.bold(
      colours[paint](
        visible(`${mark} ${report.task_id}: ${failure === null ? headline(report) : failureSentence(failure)}`),
      ),
    ),
    ...(failure === null ? [] : [colours.dim(visible(`  ${headline(report)}`))]),
    '',
    ...labelLines(
      rows.map(([label, text]) => [label, printable(text, MAX_TEXT)]),
      ink,
    ),
  ].join('\n')}\n`;
}

/** Numbered if there are several. The answer of a passed run is named above. */
function nextRows(actions: RunReport['next_actions'], stages: RunReport['stages']): Row[] {
  const answers = stages.map(({ answer }) => `read the answer: ${answer}`);
  const shown = actions.filter((action) => !isNote(action) && !answers.includes(action.text)).slice(0, MOST);
  return shown.map((action, i) => [
    i === 0 ? 'next' : '',
    `${shown.length > 1 ? `${i + 1}. ` : ''}${personLine(action)}`,
  ]);
}

const supervisionRows = ({ task_id, supervision }: RunReport): Row[] =>
  supervision === undefined
    ? []
    : [
        ...(supervision.question === null ? [] : [['question', supervision.question] satisfies Row]),
        ...(supervision.summary === null ? [] : [['result', supervision.summary] satisfies Row]),
        ['iterations', `${supervision.iteration}; \`tollgate report --task ${shellWord(task_id)}\` lists them`],
      ];

const MAX_TEXT = 600;
/** Rows of one label; the summary has the others. */
const MOST = 4;

const evidenceRows = ({ evidence, reason, findings = [], missing, changed, ...failure }: Failure): Row[] => [
  ...(evidence === null || evidence.text === '' || isInSentence(evidence)
    ? []
    : [['evidence', evidence.text] satisfies Row]),
  ...(reason === 'unmatched' ? stderrRows(failure) : []),
  ...findings.slice(1, MOST).map(({ text }): Row => ['also', text]),
  ...namesRow(
    'missing',
    missing.filter((name) => evidence?.text.includes(name) !== true),
  ),
  ...namesRow('changed', changed),
];

/** No rule chose the evidence, so the end of stderr may say more. */
function stderrRows({ stderr_head, stderr_tail }: { stderr_head: string[]; stderr_tail: string[] }): Row[] {
  const lines = [...stderr_head, ...stderr_tail];
  if (lines.length === 0) return [['stderr', 'empty: the CLI reported no error']];
  return lines.slice(-MOST).map((line, i) => [i === 0 ? 'stderr' : '', line]);
}

const resultRows = ({ stages, commit }: RunReport): Row[] => [
  ...(commit ? [['commit', `${commit.id.slice(0, 12)} on ${commit.branch ?? 'a detached HEAD'}`] satisfies Row] : []),
  ...cappedRows(
    'answer',
    stages.flatMap(({ answer }) => (answer === null ? [] : [near(answer)])),
  ),
  ...namesRow('changed', [...new Set(stages.flatMap(({ changed }) => changed))]),
  ...cappedRows(
    'passed',
    stages.flatMap(({ passed_commands }) => passed_commands),
  ),
];

const MOST_NAMES = 8;

function namesRow(label: string, names: readonly string[]): Row[] {
  if (names.length === 0) return [];
  const more = names.length - MOST_NAMES;
  return [[label, `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`]];
}

function cappedRows(label: string, all: readonly string[]): Row[] {
  const distinct = [...new Set(all)];
  const more = distinct.length - MOST;
  return [
    ...distinct.slice(0, MOST).map((text, i): Row => [i === 0 ? label : '', text]),
    ...(more > 0 ? [['', `and ${more} more, in the summary`] satisfies Row] : []),
  ];
}

/** As it is seen from the working folder, if it is below it. */
function near(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
