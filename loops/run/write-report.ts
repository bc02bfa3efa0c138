// Writes the files for a run's reader: last_failure.json, _summary.md, stats.json.

import path from 'node:path';
import { type NextAction, toDo } from '../../policies/facts/next-action.ts';
import { withRelativePaths } from '../../policies/report/problem.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { readJson, writeAtomic, writeJson } from '../../state/atomic-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { spentOf } from '../../state/usage.ts';
import { lostCalls, nestedCalls } from '../task/paid-calls.ts';
import { fieldsWithoutEffect } from '../task/stage-plan.ts';
import type { OpenTask } from '../task/task.ts';
import type { Notified } from '../upkeep/notified.ts';
import type { RunReport, StageReport, SupervisionReport } from './report.ts';
import { renderSummary } from './summary.ts';

const failureFile = ({ task }: OpenTask) => path.join(task.state, 'last_failure.json');

/** The result of a run; `failure` is null if there is nothing to act upon. */
export interface EndedRun {
  state: RunReport['state'];
  exitCode: number;
  stages: StageReport[];
  failure: Failure | null;
  notes: string[];
  /** The next actions if nothing failed; by default, the answer to read. */
  nextActions?: NextAction[];
  /** For a run that was stopped: when the service accepts a call again. */
  retryAt?: string | null;
  supervision?: SupervisionReport;
  /** The commit of `--commit`; null if there was nothing to commit. */
  commit?: RunReport['commit'];
}

export interface WrittenReport {
  report: RunReport;
  /** The text of `_summary.md`. */
  summary: string;
  /** Makes a text safe to post: removes secrets, and makes paths relative to the project. */
  post(text: string): string;
}

export async function writeReport(open: OpenTask, ended: EndedRun, clock: () => Date): Promise<WrittenReport> {
  const { failure } = ended;
  if (failure === null) await resolveFailure(open, clock);
  else await writeJson(failureFile(open), { ...failure, folder: open.task.root });
  const { ledger, torn } = open.journal.read();
  const total = budgetOf(ledger);
  const report: RunReport = {
    schema: 1,
    task_id: open.task.id,
    goal: open.hide(open.manifest.goal),
    state: ended.state,
    exit_code: ended.exitCode,
    message: ended.state === 'refused' ? (failure?.evidence?.text ?? null) : null,
    stages: ended.stages,
    failure,
    budget: { used: ledger.used, total, left: Math.max(0, total - ledger.used) },
    spent: spentOf(open),
    limits: limitsOf(open),
    files: {
      summary: path.join(open.task.outputs, '_summary.md'),
      stats: path.join(open.task.state, 'stats.json'),
      last_failure: failure === null ? null : failureFile(open),
      outputs: open.task.outputs,
    },
    next_actions: failure?.next_actions ?? ended.nextActions ?? afterSuccess(open, ended.stages),
    notes: [
      ...ended.notes,
      ...(open.refusedTrust === null ? [] : [open.refusedTrust]),
      ...open.notes,
      ...lostCalls(ledger),
      ...nestedCalls(ledger),
      ...fieldsWithoutEffect(open),
      ...(torn === 0
        ? []
        : [`the journal has ${torn} unreadable lines (incomplete after a crash, or edited); they are ignored`]),
    ].map(open.hide),
    ...(ended.supervision === undefined ? {} : { supervision: ended.supervision }),
    ...(ended.commit === undefined ? {} : { commit: ended.commit }),
  };
  const summary = renderSummary(report);
  await writeAtomic(report.files.summary, summary, 'renamed');
  const post = (text: string) => withRelativePaths(open.hide(text), [open.tree, open.root]);
  return { report, summary, post };
}

/** Writes the page again, with the recipients that were notified. */
export async function addNotified(written: WrittenReport, notified: Notified[]): Promise<WrittenReport> {
  if (notified.length === 0) return written;
  const report = { ...written.report, notified };
  const summary = renderSummary(report);
  await writeAtomic(report.files.summary, summary, 'renamed');
  return { ...written, report, summary };
}

/** After a success, the next step is to read the answer. */
function afterSuccess({ task, manifest }: OpenTask, stages: readonly StageReport[]): NextAction[] {
  const bad = stages.flatMap(({ stage, verdict, answer }) =>
    verdict === 'FAIL' && answer !== null
      ? [toDo(`read the findings of ${stage}, whose verdict is FAIL: ${answer}`)]
      : [],
  );
  // A reasoner's last answer only says that the task is done, and is in the summary.
  const candidates = manifest.supervise === undefined ? stages : stages.filter(({ stage }) => stage === 'worker');
  const last = candidates.findLast(({ answer }) => answer !== null)?.answer ?? task.outputs;
  return bad.length > 0 ? bad : [toDo(`read the answer: ${last}`)];
}

const limitsOf = ({ manifest: { budgets } }: OpenTask): RunReport['limits'] => ({
  max_tokens: budgets.max_tokens ?? null,
  max_usd: budgets.max_usd ?? null,
});

export async function writeFailure(open: OpenTask, failure: Failure): Promise<void> {
  await writeJson(failureFile(open), failure);
}

/** A success marks the earlier failure as resolved; it stays readable. */
async function resolveFailure(open: OpenTask, clock: () => Date): Promise<void> {
  const read = await readJson<Failure>(failureFile(open), clock);
  if (read.how === 'read' && read.value.resolved_at === null)
    await writeJson(failureFile(open), { ...read.value, resolved_at: clock().toISOString() });
}
