// Reads what ran many tasks: the reports of batches, and comparisons with the answers and changes of their variants.

import { type BatchReport, batchIds, savedReport } from '../../../loops/batch/report.ts';
import { collectComparison } from '../../../loops/compare/compared.ts';
import { comparisonIds, findComparison } from '../../../loops/compare/comparison.ts';
import type { NextAction } from '../../../policies/facts/next-action.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import { projectState } from '../../../state/task-folder.ts';
import type { BatchesShown, BatchShown, ComparisonShown, ComparisonsShown } from '../../contract/overviews.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';

const MOST_LISTED = 200;

export function comparisonsShown({ cwd, environment }: ServedProject): Reply {
  const state = projectState(cwd, environment);
  const comparisons = comparisonIds(state)
    .slice(0, MOST_LISTED)
    .flatMap((id): ComparisonsShown['comparisons'] => {
      const found = findComparison(state, id);
      if (typeof found === 'string') return [];
      const { at, variants, picked, removed } = found;
      const names = variants.map(({ name }) => name);
      const chosen = picked === null ? null : (names[picked.n - 1] ?? null);
      return [{ comparison_id: id, at, names, picked: chosen, removed: removed !== null }];
    });
  return answerWith<ComparisonsShown>({ comparisons });
}

/** The page shows no longer diff. */
const MOST_OF_DIFF = 512 * 1024;

export async function comparisonShown(id: string, project: ServedProject, gone: AbortSignal): Promise<Reply> {
  const { cwd, environment, clock } = project;
  const found = findComparison(projectState(cwd, environment), id);
  if (typeof found === 'string') return refused(404, found);
  const { report, diffs } = await collectComparison(found, { cwd, environment, clock, stop: gone });
  const shown = [...diffs].map(([n, text]) => [n, text.slice(0, MOST_OF_DIFF)] as const);
  return answerWith<ComparisonShown>({ report, diffs: Object.fromEntries(shown) });
}

export async function batchesShown({ cwd, environment }: ServedProject): Promise<Reply> {
  const state = projectState(cwd, environment);
  const ids = batchIds(state).reverse().slice(0, MOST_LISTED);
  const saved = await Promise.all(ids.map((id) => savedReport(state, id)));
  const batches = saved.flatMap((each, nth): BatchesShown['batches'] => {
    if (each.how === 'invalid') return [];
    const { batch_id, task_ids, at, state, totals, failures } = batchOf(ids[nth]!, each);
    return [{ batch_id, task_ids, at, state, totals, causes: failures.map(({ sentence }) => sentence) }];
  });
  return answerWith<BatchesShown>({ batches });
}

export async function batchShown(id: string, { cwd, environment }: ServedProject): Promise<Reply> {
  const saved = await savedReport(projectState(cwd, environment), id);
  if (saved.how === 'invalid') return refused(404, saved.message, 'the view Batches lists all batches');
  return answerWith<BatchShown>(batchOf(id, saved));
}

/** An agent can write these files, so each value has the type that the page expects. */
function batchOf(id: string, saved: Exclude<Awaited<ReturnType<typeof savedReport>>, { how: 'invalid' }>): BatchShown {
  if (saved.how === 'open') {
    const { state, task_ids, next_actions } = saved.start;
    const next = state === 'running' ? [] : actionsIn(next_actions);
    const empty = { totals: null, tasks: [], failures: [], notes: [], next_actions: next };
    return { batch_id: id, task_ids: textsIn(task_ids), at: timeIn(id), state, ...empty };
  }
  const { report } = saved;
  const { tasks, done, calls, duration_ms: ms } = (report.totals ?? {}) as Partial<BatchReport['totals']>;
  const rows = listIn(report.tasks).map((row) => ({
    ...{ task_id: textIn(row.task_id) ?? '', state: textIn(row.state) ?? 'unknown', calls: numberIn(row.calls) },
    why: row.class === null ? textIn(row.message) : sentenceOf({ ...row, task_ids: [row.task_id] }, [row]),
  }));
  const failures = withPaused(listIn(report.by_failure), report.tasks).map((group) => ({
    ...{ sentence: sentenceOf(group, report.tasks), class: textIn(group.class), reason: textIn(group.reason) },
    ...{ count: numberIn(group.count), task_ids: textsIn(group.task_ids), next_actions: actionsIn(group.next_actions) },
  }));
  // A failure says more than the note about its pause.
  const isKnown = (note: string) => failures.some(({ reason }) => note.includes(`(${reason}); it is not called again`));
  return {
    batch_id: id,
    task_ids: rows.map(({ task_id }) => task_id),
    at: timeIn(id),
    state: textIn(report.state) ?? 'unknown',
    totals: { tasks: numberIn(tasks), done: numberIn(done), calls: numberIn(calls), duration_ms: numberIn(ms) },
    tasks: rows,
    failures,
    notes: textsIn(report.notes).filter((note) => !isKnown(note)),
    next_actions: actionsIn(report.next_actions),
  };
}

type Group = BatchReport['by_failure'][number];

/** A batch pauses a CLI after a failure. The tasks that failed by the pause join the failure that caused it. */
function withPaused(groups: readonly Group[], rows: BatchReport['tasks']): Group[] {
  const causeOf = (group: Group): Group => {
    const isSame = ({ class: of, reason, task_ids: ids }: Group) =>
      reason !== 'paused' && of === group.class && toolOf(ids, rows) === toolOf(group.task_ids, rows);
    return (group.reason === 'paused' && groups.find(isSame)) || group;
  };
  return groups.flatMap((cause) => {
    if (causeOf(cause) !== cause) return [];
    const same = [cause, ...groups.filter((group) => group !== cause && causeOf(group) === cause)];
    const count = same.reduce((sum, group) => sum + numberIn(group.count), 0);
    return [{ ...cause, count, task_ids: same.flatMap(({ task_ids: ids }) => textsIn(ids)) }];
  });
}

/** An id begins with the time of its batch, in UTC. */
function timeIn(id: string): string | null {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

function sentenceOf(
  { class: errorClass, reason, message, task_ids }: Pick<Group, 'class' | 'reason' | 'message' | 'task_ids'>,
  rows: BatchReport['tasks'],
): string {
  const known = textIn(errorClass);
  if (known === null) return textIn(message) ?? 'It failed.';
  return failureSentence({ class: known, reason: textIn(reason), tool: toolOf(task_ids, rows) });
}

/** The CLI of the stages that failed; null if the tasks called different ones. */
function toolOf(task_ids: readonly string[], rows: BatchReport['tasks']): string | null {
  const ids = textsIn(task_ids);
  const tools = listIn(rows)
    .filter(({ task_id }) => ids.includes(task_id))
    .map(({ stages, failed_stage }) => textIn(listIn(stages).find(({ stage }) => stage === failed_stage)?.tool));
  return new Set(tools).size === 1 ? tools[0]! : null;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);
const textsIn = (value: unknown): string[] => listIn(value as string[]).flatMap((each) => textIn(each) ?? []);

const listIn = <T>(value: readonly T[]): T[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string' || (typeof each === 'object' && each)) : [];

const actionsIn = (value: readonly NextAction[]): NextAction[] =>
  listIn(value).flatMap(({ text, command, pays, changes }) => {
    if (typeof text !== 'string') return [];
    const line = typeof command === 'string' ? { command } : {};
    return [{ text, ...line, pays: pays === true, changes: changes ?? null } as NextAction];
  });
