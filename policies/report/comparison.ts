// Defines the report of a comparison, and renders it as a page in Markdown.

import type { ErrorClass } from '../facts/classes.ts';
import { actionLine, type NextAction } from '../facts/next-action.ts';
import type { Variant } from '../manifest/variants.ts';
import { counted, dollars, figure, oneLine, tookWords, visible } from '../text/display.ts';

/** What one variant did. null means unknown, or not applicable. */
export interface ComparedVariant extends Variant {
  /** Its task, on which every command works that takes a task. */
  task_id: string;
  state: 'done' | 'failed' | 'refused' | 'interrupted' | 'running' | 'never_run' | 'parked';
  class: ErrorClass | null;
  reason: string | null;
  /** What happened, in one sentence; null unless it failed. */
  sentence: string | null;
  evidence: string | null;
  /** Of the last stage that has one. */
  gate: 'passed' | 'failed' | null;
  /** The verdict within the answer itself. */
  verdict: string | null;
  /** What the answers of a variant that is done lack, each with its stage. */
  lacks: string[];
  /** The sum over its calls. */
  duration_ms: number | null;
  calls: number;
  tokens: number | null;
  usd: number | null;
  unpriced_calls: number;
  /** What it changed since the base; null if this cannot be read, and `diff_problem` says why. */
  diff: DiffSize | null;
  diff_problem: string | null;
  /** Without secrets, and cut after 100,000 characters. */
  answer: string | null;
  /** Its commit with the changes in scope; null if it made none. */
  commit: string | null;
  files: { answer: string | null; diff: string | null; worktree: string | null };
}

interface DiffSize {
  files: number;
  added: number;
  removed: number;
}

/** `--json` prints this, and it is kept as `report.json`. */
export interface ComparisonReport {
  schema: 1;
  comparison_id: string;
  state: 'done' | 'failed' | 'interrupted' | 'running';
  exit_code: number;
  /** ISO. */
  at: string;
  /** The compared task; null for a prompt. */
  task_id: string | null;
  goal: string;
  /** The commit from which every variant begins. */
  base: string;
  variants: ComparedVariant[];
  /** The shared budget: each variant may use an equal part of it. */
  budget: ComparisonBudget;
  /** The variant whose changes were applied; null if none were. */
  picked: { n: number; at: string } | null;
  removed: string | null;
  notes: string[];
  next_actions: NextAction[];
  files: { folder: string; report: string; page: string };
}

export interface ComparisonBudget {
  calls: number;
  tokens: number | null;
  usd: number | null;
}

/** Counts the files and lines of a diff in git's form. */
export function sizeOfDiff(diff: string): DiffSize {
  const size = { files: 0, added: 0, removed: 0 };
  let isInHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) {
      size.files += 1;
      isInHunk = false;
    } else if (line.startsWith('@@ ')) isInHunk = true;
    else if (isInHunk && line.startsWith('+')) size.added += 1;
    else if (isInHunk && line.startsWith('-')) size.removed += 1;
  }
  return size;
}

export const COMPARED_HEADINGS = [
  '#',
  'variant',
  'state',
  'gate',
  'time',
  'calls',
  'tokens',
  'cost',
  'changes',
] as const;

/** The cells of a variant, in the order of the headings. */
export function comparedCells(variant: ComparedVariant): string[] {
  const { n, name, state, gate, duration_ms, calls, tokens, diff, verdict } = variant;
  return [
    String(n),
    name,
    variant.class === null ? state.replace('_', ' ') : `${state}: ${failureOf(variant)}`,
    `${gate ?? '-'}${verdict === null ? '' : ` (${verdict})`}`,
    duration_ms === null ? '-' : tookWords(duration_ms),
    String(calls),
    tokens === null ? '-' : figure(tokens),
    costOf(variant),
    diff === null ? '-' : sizeWords(diff),
  ];
}

const failureOf = ({ class: errorClass, reason }: ComparedVariant): string =>
  reason === null ? String(errorClass) : `${errorClass} (${reason})`;

function costOf({ calls, usd, unpriced_calls }: ComparedVariant): string {
  if (calls === 0) return '-';
  if (usd === null || unpriced_calls === calls) return 'price unknown';
  return `${dollars(usd)}${unpriced_calls === 0 ? '' : ` + ${unpriced_calls} unpriced`}`;
}

const sizeWords = ({ files, added, removed }: DiffSize): string =>
  files === 0 ? 'none' : `${counted(files, 'file')} +${added} -${removed}`;

/** How many lines of each answer and diff a page has. */
interface Extent {
  answer: number;
  diff: number;
}

export const WHOLE: Extent = { answer: 400, diff: 400 };

/** For a terminal: the files have the rest. */
export const SHORT: Extent = { answer: 15, diff: 0 };

/** @param diffs the text of each diff by the number of its variant, without secrets. */
export function renderComparison(report: ComparisonReport, extent: Extent, diffs: ReadonlyMap<number, string>): string {
  const { comparison_id, goal, base, variants, budget, picked, notes, next_actions } = report;
  const rows = variants.map((variant) => `| ${comparedCells(variant).map(cell).join(' | ')} |`);
  return visible(
    `${[
      `# Comparison ${comparison_id}: ${headline(report)}`,
      '',
      `${oneLine(goal, MOST_OF_LINE)}`,
      '',
      `| ${COMPARED_HEADINGS.join(' | ')} |`,
      `|${COMPARED_HEADINGS.map(() => '---|').join('')}`,
      ...rows,
      '',
      `Each began from commit ${base.slice(0, 12)}. ${budgetWords(budget, variants.length)}`,
      ...(picked === null ? [] : [`The changes of variant ${picked.n} were applied.`]),
      ...notes.map((note) => `Note: ${oneLine(note, MOST_OF_LINE)}`),
      ...variants.flatMap((variant) => section(variant, extent, diffs.get(variant.n) ?? '')),
      ...(next_actions.length === 0 ? [] : ['', 'Next:', ...next_actions.map((action) => `- ${actionLine(action)}`)]),
      '',
      `Files: ${report.files.folder}/`,
    ].join('\n')}\n`,
  );
}

const MOST_OF_LINE = 400;

const cell = (text: string): string => oneLine(text, MOST_OF_LINE).replaceAll('|', '\\|');

function headline({ state, variants }: ComparisonReport): string {
  const done = variants.filter((variant) => variant.state === 'done').length;
  const share = `${done} of ${variants.length} variants done`;
  return state === 'interrupted' || state === 'running' ? `${state}, ${share}` : share;
}

export function budgetWords({ calls, tokens, usd }: ComparisonBudget, variants: number): string {
  const parts = [
    `${calls} paid calls`,
    ...(tokens === null ? [] : [`${figure(tokens)} tokens`]),
    ...(usd === null ? [] : [`$${usd}`]),
  ];
  return `The budget of ${parts.join(', ')} is shared equally among ${variants} variants.`;
}

function section(variant: ComparedVariant, extent: Extent, diff: string): string[] {
  const { n, name, sentence, evidence, lacks, answer, files, diff_problem } = variant;
  return [
    '',
    `## ${n}. ${name}`,
    '',
    ...(sentence === null ? [] : [sentence]),
    ...(evidence === null ? [] : [`Evidence: ${oneLine(evidence, MOST_OF_LINE)}`]),
    ...lacks.map((lack) => `Warning: ${oneLine(lack, MOST_OF_LINE)}`),
    ...(answer === null ? ['There is no answer.'] : quoted('', answer, extent.answer, files.answer)),
    ...(diff_problem === null ? [] : [`Its changes cannot be shown: ${diff_problem}`]),
    ...(files.diff === null
      ? []
      : extent.diff === 0
        ? [`Changes: ${files.diff}`]
        : ['', ...quoted('diff', diff, extent.diff, files.diff)]),
  ];
}

/** Between fences that no line of the text closes. */
function quoted(language: string, text: string, most: number, file: string | null): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const more = lines.length - most;
  return [
    `${fence}${language}`,
    ...lines.slice(0, most),
    fence,
    ...(more > 0 ? [`(${more} more lines${file === null ? '' : `: ${file}`})`] : []),
  ];
}
