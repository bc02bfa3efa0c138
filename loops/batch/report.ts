// Makes the facts of a batch and its page of at most 80 lines, and reads the record of a batch by its id.

import path from 'node:path';
import { CLASSES } from '../../policies/facts/classes.ts';
import { EXIT_BUG, type EXIT_BY_SIGNAL, EXIT_ORDER, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { actionLine, isNote, type NextAction, noteOf, toType } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { lackLines } from '../../policies/facts/requirements.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import { gatherFailures } from '../../policies/signature/sign.ts';
import { counted, figure, firstNames, oneLine, tookWords, visible } from '../../policies/text/display.ts';
import { entriesIn } from '../../state/disk/folder.ts';
import { isRegular, readRegular } from '../../state/disk/regular-file.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { exitByClass } from '../call/exit.ts';
import { type Notified, notifiedLines } from '../upkeep/notified.ts';
import type { BatchRow, BatchState, RowEnd } from './row.ts';

export interface BatchReport {
  schema: 1;
  batch_id: string;
  state: 'done' | 'failed' | 'interrupted';
  exit_code: number;
  tasks: BatchRow[];
  totals: Record<BatchState, number> & { tasks: number; calls: number; duration_ms: number };
  by_failure: BatchFailure[];
  notes: string[];
  next_actions: NextAction[];
  files: { report: string; summary: string; left: string | null };
  /** The notifications of its end; absent if none was configured. */
  notified?: Notified[];
}

/** What a batch writes before its first paid call. Readers use it until there is a report. */
export interface BatchStart {
  schema: 1;
  batch_id: string;
  /** `interrupted` is what a reader finds: its process has ended without a report. */
  state: 'running' | 'interrupted';
  began_at: string;
  owner: ProcessIdentity;
  concurrency: number;
  task_ids: string[];
  /** What to do if its process ends without a report. */
  next_actions: NextAction[];
}

export interface BatchFailure {
  signature: string | null;
  class: BatchRow['class'];
  reason: string | null;
  /** The message of the first task, if there is no failure record. */
  message: string | null;
  /** The latest time. */
  retry_at: string | null;
  count: number;
  /** The first 20. */
  task_ids: string[];
  /** The actions from the first task's own report. */
  next_actions: NextAction[];
}

const NAMED = 20;

const FAILURES: readonly BatchState[] = ['failed', 'broken', 'refused'];

/** Sorts the most frequent first. */
export function failuresOf(ends: readonly RowEnd[]): BatchFailure[] {
  const failed = ends.filter(({ row: { state } }) => FAILURES.includes(state));
  return gatherFailures(failed.map(({ row, next }) => ({ ...row, next }))).map((same) => {
    const [{ signature, class: errorClass, reason, message, next }] = same;
    const resets = same.flatMap(({ retry_at }) => (retry_at === null ? [] : [retry_at]));
    return {
      signature,
      class: errorClass,
      reason,
      message,
      retry_at: resets.sort().at(-1) ?? null,
      count: same.length,
      task_ids: same.slice(0, NAMED).map(({ task_id }) => task_id),
      next_actions: next,
    };
  });
}

export function totalsOf(rows: readonly BatchRow[], durationMs: number): BatchReport['totals'] {
  const count = (state: BatchState) => rows.filter((row) => row.state === state).length;
  return {
    tasks: rows.length,
    done: count('done'),
    failed: count('failed'),
    broken: count('broken'),
    refused: count('refused'),
    interrupted: count('interrupted'),
    not_started: count('not_started'),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    duration_ms: durationMs,
  };
}

export function endOf(
  rows: readonly BatchRow[],
  stopExit: (typeof EXIT_BY_SIGNAL)[keyof typeof EXIT_BY_SIGNAL] | null,
  exitCode: 'plain' | 'by_class',
): Pick<BatchReport, 'state' | 'exit_code'> {
  if (stopExit !== null) return { state: 'interrupted', exit_code: stopExit };
  if (rows.some(({ exit_code }) => exit_code === EXIT_BUG)) return { state: 'failed', exit_code: EXIT_BUG };
  const done = rows.every(({ state }) => state === 'done');
  if (done) return { state: 'done', exit_code: TOLLGATE_EXIT.ok };
  return { state: 'failed', exit_code: exitCode === 'plain' ? TOLLGATE_EXIT.failure : firstOf(rows) };
}

/** Returns the first code in EXIT_ORDER among the codes of the failures. */
function firstOf(rows: readonly BatchRow[]): number {
  const codes = rows.map((row) => exitByClass(TOLLGATE_EXIT.failure, { ...row, evidence: null }));
  return EXIT_ORDER.find((code) => codes.includes(code)) ?? TOLLGATE_EXIT.failure;
}

const MAX_GROUPS = 9;

const MAX_CHARS = 400;

export function renderBatch(report: BatchReport): string {
  const { by_failure: groups, notes, next_actions: next, files } = report;
  const more = groups.length - MAX_GROUPS;
  return visible(
    `${[
      `# Batch ${report.batch_id}: ${headline(report)}`,
      '',
      ...(groups.length === 0
        ? []
        : ['## Failures', '', ...groups.slice(0, MAX_GROUPS).flatMap((group) => groupLines(group, report.tasks))]),
      ...(more > 0 ? [`- and ${more} more kinds of failure: ${path.basename(files.report)} has them all`] : []),
      ...(groups.length === 0 ? [] : ['']),
      ...notes.slice(0, 5).map((note) => `Note: ${oneLine(note, MAX_CHARS)}`),
      ...notifiedLines(report.notified ?? []),
      ...(notes.length === 0 ? [] : ['']),
      ...(next.length === 0 ? [] : ['Next:', ...next.map((action) => `- ${actionLine(action)}`), '']),
      ...lackLines(
        report.tasks.filter(({ state }) => state === 'done').map((row) => ({ ...row, lacks: lacksOf(row) })),
        MAX_GROUPS,
      ),
      ...doneLine(report.tasks),
      `Cost: ${costWords(report)}`,
      `Files: ${path.dirname(files.report)}${path.sep}`,
    ].join('\n')}\n`,
  );
}

const OTHERS = ['failed', 'broken', 'refused', 'interrupted', 'not_started'] as const satisfies readonly BatchState[];

function headline({ state, totals }: BatchReport): string {
  const { done, tasks } = totals;
  const others = OTHERS.filter((other) => totals[other] > 0);
  return [
    ...(state === 'interrupted' ? ['interrupted'] : []),
    `${done} of ${counted(tasks, 'task')} done`,
    ...others.map((other) => `${totals[other]} ${other.replace('_', ' ')}`),
  ].join(', ');
}

/** What the answers of its stages lack. Batches of earlier versions do not say it. */
export const lacksOf = ({ stages }: BatchRow): string[] =>
  stages.flatMap(({ stage, lacks }) => (lacks ?? []).map((lack) => `${stage}: ${lack}`));

function doneLine(tasks: readonly BatchRow[]): string[] {
  const done = tasks.filter(({ state }) => state === 'done').map(({ task_id }) => task_id);
  const more = done.length > NAMED ? ` and ${done.length - NAMED} more` : '';
  return done.length === 0 ? [] : [`Done: ${oneLine(done.slice(0, NAMED).join(', '), MAX_CHARS)}${more}`];
}

/** The tokens of a call that was retried are in the journal of its task only. */
function costWords({ tasks, totals: { calls, duration_ms } }: BatchReport): string {
  const known = tasks.flatMap(({ stages }) => stages.filter((stage) => stage.calls > 0 && stage.tokens !== null));
  const tokens = figure(known.reduce((sum, stage) => sum + stage.tokens!, 0));
  const unknown = calls > known.length ? ` (unknown for ${counted(calls - known.length, 'call')})` : '';
  const ofTokens = calls === 0 ? [] : [known.length === 0 ? 'tokens unknown' : `${tokens} tokens${unknown}`];
  return [counted(calls, 'paid call'), ...ofTokens, tookWords(duration_ms)].join('; ');
}

const failedStageOf = ({ stages, failed_stage }: BatchRow) => stages.find(({ stage }) => stage === failed_stage);

/** What happened to a task that is not done, in one sentence; null if nothing is known. */
export function sentenceOf(row: BatchRow): string | null {
  if (row.class === null) return row.message;
  const { tool = null, evidence = null } = failedStageOf(row) ?? {};
  return failureSentence({ class: row.class, reason: row.reason, tool, evidence });
}

/** A heading of what happened, the evidence and the steps of the first task, and the class for those who know it. */
function groupLines(group: BatchFailure, rows: readonly BatchRow[]): string[] {
  const { class: errorClass, reason, message, count, task_ids: tasks } = group;
  const same = rows.filter(({ task_id }) => tasks.includes(task_id));
  const sentences = new Set(same.map(sentenceOf));
  // Where the tasks called different CLIs, the sentence names none.
  const common = errorClass === null ? (message ?? 'failed') : failureSentence({ class: errorClass, reason });
  const what = oneLine((sentences.size === 1 && [...sentences][0]) || common, MAX_CHARS);
  const more = count > tasks.length ? ` and ${count - tasks.length} more` : '';
  const evidence = (same[0] && failedStageOf(same[0])?.evidence?.text) ?? '';
  return [
    `- ${count === 1 ? '' : `${count} tasks: `}${what}`,
    `  ${count === 1 ? 'task' : 'tasks'}: ${oneLine(tasks.join(', '), MAX_CHARS)}${more}`,
    ...(evidence === '' ? [] : [`  evidence: ${oneLine(evidence, MAX_CHARS)}`]),
    ...thenLine(group),
    ...group.next_actions.slice(0, 2).map((action) => {
      if (isNote(action)) return `  note: ${oneLine(noteOf(action), MAX_CHARS)}`;
      const line = actionLine({ ...action, text: oneLine(action.text, MAX_CHARS) });
      return `  next${count === 1 ? '' : ` for ${tasks[0]}`}: ${line}`;
    }),
    ...(errorClass === null ? [] : [`  class: ${errorClass} (${reason})`]),
  ];
}

/** The class's advice is used only if the failure itself has no next action. */
function thenLine({ class: errorClass, retry_at, next_actions }: BatchFailure): string[] {
  const isAdvised = errorClass !== null && next_actions.length === 0;
  return [
    ...(retry_at === null ? [] : [`  not before: ${retry_at}`]),
    ...(isAdvised ? [`  next: ${CLASSES[errorClass].next}`] : []),
  ];
}

type SavedReport =
  | { how: 'read'; report: BatchReport; summary: string }
  /** There is no report yet. */
  | { how: 'open'; start: BatchStart }
  | { how: 'invalid'; message: string };

const LAST = 'last';

const MAX_OFFERED = 5;

/** @param state the project's `.tmp`. @param word the id, or `last`. */
export async function savedReport(state: string, word: string): Promise<SavedReport> {
  const folder = path.join(state, 'batch');
  const known = batchIds(state);
  const id = word === LAST ? known.at(-1) : known.find((each) => each === word);
  if (id === undefined) {
    const names = known.slice(-MAX_OFFERED).reverse().join(', ');
    return invalid(
      known.length === 0
        ? `there is no batch report in ${folder}`
        : `no batch "${word}" is in ${folder}; the last ones are ${names}`,
    );
  }
  const file = path.join(folder, id, 'report.json');
  const report = readRecord<BatchReport>(file);
  if (report.how === 'read') {
    if (!Array.isArray(report.value.tasks)) return invalid(`${file} is not a report of a batch`);
    return { how: 'read', report: report.value, summary: renderBatch(report.value) };
  }
  const start = report.why === 'ENOENT' ? readRecord<BatchStart>(startFile(state, id)) : report;
  if (start.how !== 'read') return invalid(`${file} cannot be read (${report.why})`);
  const { owner, task_ids: ids, next_actions: next } = start.value;
  if (typeof owner?.pid !== 'number' || !Array.isArray(ids) || !Array.isArray(next))
    return invalid(`${startFile(state, id)} is not the record of a batch`);
  const isRunning = (await isAlive(owner, (await identify(process.pid))!)) !== 'dead';
  return { how: 'open', start: { ...start.value, batch_id: id, state: isRunning ? 'running' : 'interrupted' } };
}

export const startFile = (state: string, id: string): string => path.join(state, 'batch', id, 'started.json');

function readRecord<T extends { schema: 1 }>(file: string): { how: 'read'; value: T } | { how: 'failed'; why: string } {
  try {
    const value = JSON.parse(readRegular(file)) as T;
    return value?.schema === 1 ? { how: 'read', value } : { how: 'failed', why: 'it is not a record of a batch' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { how: 'failed', why: code ?? (error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be opened') };
  }
}

/** @param launcher as the user types it. */
export function renderStart(
  { batch_id, state, owner, task_ids: ids, next_actions }: BatchStart,
  launcher: string,
): string {
  const named = firstNames(ids, NAMED);
  const [what, next] =
    state === 'running'
      ? [`running (pid ${owner.pid}); it writes its report at its end`, [toType('see its tasks', `${launcher} status`)]]
      : ['interrupted: its process ended without a report', next_actions];
  const lines = [
    `# Batch ${batch_id}: ${what}`,
    '',
    oneLine(`${counted(ids.length, 'task')}: ${named}`, MAX_CHARS),
    '',
    'Next:',
  ];
  return visible(`${[...lines, ...next.map((action) => `- ${actionLine(action)}`)].join('\n')}\n`);
}

/** @param state the project's `.tmp`. @returns the ids, the oldest first, since each begins with its time. */
export const batchIds = (state: string): string[] =>
  entriesIn(path.join(state, 'batch'))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/**
 * @param state the project's `.tmp`.
 * @param ended batches that had a report at an earlier look, which is final; the further ones are added.
 * @returns the batches without a report: those that run, and those that were killed.
 */
export async function openBatches(state: string, ended = new Set<string>()): Promise<BatchStart[]> {
  const open = batchIds(state).filter((id) => {
    if (!ended.has(id) && isRegular(path.join(state, 'batch', id, 'report.json'))) ended.add(id);
    return !ended.has(id);
  });
  const saved = await Promise.all(open.map((id) => savedReport(state, id)));
  return saved.flatMap((each) => (each.how === 'open' ? [each.start] : []));
}

const invalid = (message: string): SavedReport => ({ how: 'invalid', message });
