// Writes the record of a batch: at its start, and its report with what remains to be done; notifies about the end.

import path from 'node:path';
import { type NextAction, preflightLine, toDo, toType } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { NotifyEvent } from '../../policies/manifest/notifier.ts';
import { shellWord } from '../../policies/text/display.ts';
import { writeAtomic, writeJson } from '../../state/atomic-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { findEscapingLink, projectState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { launcherIn } from '../launcher.ts';
import type { RunContext } from '../task/run-context.ts';
import type { Notified } from '../upkeep/notified.ts';
import { nearLimitsFor, notify } from '../upkeep/notify.ts';
import type { BatchTask, lookAtTasks } from './check-tasks.ts';
import { type BatchReport, type BatchStart, renderBatch, startFile } from './report.ts';
import type { BatchRequest } from './request.ts';

/** The facts that the batch itself knows. */
type BatchFacts = Omit<BatchReport, 'files' | 'next_actions'>;

/** What remains to be done. */
interface Unmet {
  /** Tasks that are not done, for the command that continues the batch. */
  remaining: readonly string[];
  /** Those of them that have begun what they are to repeat. Their command omits the redo flag, which would pay again. */
  begun: readonly string[];
  /** Tasks, by their given names, that could not be run as they are. */
  unreadable: readonly string[];
  /** The tools whose sign-in was refused. */
  signedOut: readonly Tool[];
}

interface WrittenBatch {
  report: BatchReport;
  summary: string;
}

const NAMED = 5;

/** What the batch is about to do: its record if it is killed. A disk that refuses it refuses the report too. */
export async function writeBatchStart(
  { context: { cwd, environment }, concurrency, flags }: BatchRequest,
  batchId: string,
  began: Date,
  tasks: readonly BatchTask[],
): Promise<void> {
  const state = projectState(cwd, environment);
  if (findEscapingLink(state, ['batch']) !== null) return;
  const file = startFile(state, batchId);
  const list = path.join(path.dirname(file), 'tasks.txt');
  // A task whose stage was repeated already would be paid again.
  const taken = flags.filter(isNoRedo);
  const again = [`${launcherIn(environment)} batch --from ${shellWord(list)} --concurrency ${concurrency}`, ...taken];
  const start: BatchStart = {
    ...{ schema: 1, batch_id: batchId, state: 'running', began_at: began.toISOString() },
    ...{ owner: (await identify(process.pid))!, concurrency, task_ids: tasks.map(({ taskId }) => taskId) },
    next_actions: [toType('run it again; finished stages are not paid twice', again.join(' '), 'pays')],
  };
  try {
    await writeAtomic(list, `${tasks.map(({ word }) => word).join('\n')}\n`);
    await writeJson(file, start);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

export async function writeBatchReport(
  { context: { cwd, environment }, concurrency, flags }: BatchRequest,
  facts: BatchFacts,
  { remaining, begun, unreadable, signedOut }: Unmet,
): Promise<WrittenBatch> {
  const folder = path.join(projectState(cwd, environment), 'batch', facts.batch_id);
  const files = {
    report: path.join(folder, 'report.json'),
    summary: path.join(folder, '_summary.md'),
    left: remaining.length === 0 ? null : path.join(folder, 'left.txt'),
  };
  const [begunFile, untouchedFile] = [path.join(folder, 'begun.txt'), path.join(folder, 'not_begun.txt')];
  const launcher = launcherIn(environment);
  const untouched = remaining.filter((word) => !begun.includes(word));
  const lineOf = (file: string, taken: readonly string[]) =>
    [`${launcher} batch`, `--from ${shellWord(file)}`, `--concurrency ${concurrency}`, ...taken].join(' ');
  const signIn =
    signedOut.length === 0
      ? []
      : [toType('see how to sign in again', preflightLine(launcher, `--tools ${signedOut.join()}`))];
  const goOn =
    files.left === null
      ? []
      : [
          ...signIn,
          ...(begun.length === 0
            ? []
            : [
                toType(
                  `continue with the ${begun.length === 1 ? 'one that has' : `${begun.length} that have`} begun`,
                  lineOf(begunFile, flags.filter(isNoRedo)),
                  'pays',
                ),
              ]),
          ...(untouched.length === 0
            ? []
            : [
                toType(
                  `run the ${untouched.length === 1 ? 'unfinished task' : `${untouched.length} unfinished tasks`} again; finished stages are not paid twice`,
                  lineOf(begun.length === 0 ? files.left : untouchedFile, flags),
                  'pays',
                ),
              ]),
        ];
  const open = [...goOn, ...repairOf(unreadable)];
  const next_actions = open.length === 0 ? [toDo(`read ${files.summary}`)] : open;
  let report: BatchReport = { ...facts, next_actions, files };
  const stray = findEscapingLink(projectState(cwd, environment), ['batch']);
  if (stray !== null) {
    report = withoutFiles(report, stray);
    return { report, summary: renderBatch(report) };
  }
  try {
    if (files.left !== null) await writeAtomic(files.left, `${remaining.join('\n')}\n`);
    if (begun.length > 0) {
      await writeAtomic(begunFile, `${begun.join('\n')}\n`);
      await writeAtomic(untouchedFile, `${untouched.join('\n')}\n`);
    }
    await writeJson(files.report, report);
    await writeAtomic(files.summary, renderBatch(report));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    report = withoutFiles(report, error.message);
  }
  return { report, summary: renderBatch(report) };
}

/** Writes the same report again, with the notifications that were sent. */
async function addNotifiedBatch({ report: bare }: WrittenBatch, notified: Notified[]): Promise<WrittenBatch> {
  const report = { ...bare, notified };
  const summary = renderBatch(report);
  await writeJson(report.files.report, report);
  await writeAtomic(report.files.summary, summary);
  return { report, summary };
}

/** Used under --skip-bad. In the list of unfinished tasks these would cause a refusal. */
function repairOf(unreadable: readonly string[]): NextAction[] {
  if (unreadable.length === 0) return [];
  const [named, more] = [unreadable.slice(0, NAMED).join(', '), unreadable.length - NAMED];
  return [toDo(`fix ${named}${more > 0 ? ` and ${more} more` : ''} (Failures says what), then run it`)];
}

const isNoRedo = (flag: string): boolean => !flag.startsWith('--redo=');

const withoutFiles = (report: BatchReport, why: string): BatchReport => ({
  ...report,
  notes: [
    ...report.notes,
    `the report could not be written (${why}); each task has its own in its outputs/_summary.md`,
  ],
  next_actions: [toDo('start the same command again: finished stages cost nothing')],
});

/** @param nearBudget tasks that used at least four fifths of their paid calls in this batch. */
export async function tellBatchEnd(
  context: RunContext,
  hearers: Awaited<ReturnType<typeof lookAtTasks>>['hearers'],
  written: WrittenBatch,
  nearBudget: readonly string[],
): Promise<WrittenBatch> {
  const { report } = written;
  if (hearers === null || report.state === 'interrupted' || context.stop.aborted) return written;
  const [worst] = report.by_failure;
  const { tasks, done, failed, broken, refused, interrupted, not_started, calls } = report.totals;
  try {
    const nearLimits = await nearLimitsFor(context, hearers.notifiers, hearers.root);
    const nears = nearBudget.length + nearLimits.length > 0;
    const events: NotifyEvent[] = [report.state, ...(nears ? (['budget'] as const) : [])];
    const notified = await notify(context, {
      ...hearers,
      events,
      content: {
        task_id: null,
        batch_id: report.batch_id,
        goal: null,
        exit_code: report.exit_code,
        stage: null,
        class: worst?.class ?? null,
        reason: worst?.reason ?? null,
        signature: worst?.signature ?? null,
        retry_at: worst?.retry_at ?? null,
        question: null,
        budget: null,
        tasks: { tasks, done, failed, broken, refused, interrupted, not_started, calls },
        near_budget: nearBudget.slice(0, MOST_NAMED),
        near_limits: nearLimits,
        next_actions: report.next_actions,
        summary: report.files.summary,
      },
      beside: null,
    });
    return notified.length === 0 ? written : await addNotifiedBatch(written, notified);
  } catch (error) {
    context.say(`the notifications of the end could not be sent: ${(error as Error).message}`);
    return written;
  }
}

const MOST_NAMED = 20;
