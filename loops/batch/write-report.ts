// Writes the report of a batch to disk, with the list of what remains to be done.

import path from 'node:path';
import { type NextAction, preflightLine, toDo, toType } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { shellWord } from '../../policies/text/display.ts';
import { writeAtomic, writeJson } from '../../state/atomic-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { findEscapingLink, projectState } from '../../state/task-folder.ts';
import { launcherIn } from '../launcher.ts';
import type { Notified } from '../upkeep/sent.ts';
import type { BatchRequest } from './batch-request.ts';
import type { BatchReport } from './report.ts';
import { renderBatch } from './summary.ts';

/** The facts that the batch itself knows. */
export type BatchFacts = Omit<BatchReport, 'files' | 'next_actions'>;

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

export interface WrittenBatch {
  report: BatchReport;
  summary: string;
}

const NAMED = 5;

export async function writeBatchReport(
  { context: { cwd, environment }, concurrency, flags }: Pick<BatchRequest, 'context' | 'concurrency' | 'flags'>,
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
            : [toType('go on with those that have begun', lineOf(begunFile, flags.filter(isNoRedo)), 'pays')]),
          ...(untouched.length === 0
            ? []
            : [
                toType(
                  'run the remaining tasks; what is done costs nothing',
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
export async function addNotifiedBatch({ report: bare }: WrittenBatch, notified: Notified[]): Promise<WrittenBatch> {
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
  return [
    toDo(`correct what is wrong with ${named}${more > 0 ? ` and ${more} more` : ''} (Failures says what), then run it`),
  ];
}

const isNoRedo = (flag: string): boolean => !flag.startsWith('--redo=');

const withoutFiles = (report: BatchReport, why: string): BatchReport => ({
  ...report,
  notes: [
    ...report.notes,
    `the report could not be written (${why}); each task has its own in its outputs/_summary.md`,
  ],
  next_actions: [toDo('start the same command again: what is done costs nothing')],
});
