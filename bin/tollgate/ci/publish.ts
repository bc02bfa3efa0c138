// Publishes a run to CI at its end: annotations, step summary, outputs, comment. None of it changes how the run ended.

import { randomUUID } from 'node:crypto';
import { closeSync, constants } from 'node:fs';
import path from 'node:path';
import { problemsOf } from '../../../loops/report/problems.ts';
import type { RanTask } from '../../../loops/run/owned-run.ts';
import type { RunReport } from '../../../loops/run/report.ts';
import type { WrittenReport } from '../../../loops/run/write-report.ts';
import { rootOf } from '../../../loops/task/task.ts';
import { mapAction } from '../../../policies/facts/next-action.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import { annotationsOf, answerOutputs, stepOutputLines, stepSummary } from '../../../policies/report/github-actions.ts';
import { commentText } from '../../../policies/report/inert-text.ts';
import { redactedProblem } from '../../../policies/report/problem.ts';
import { printable } from '../../../policies/text/display.ts';
import { appendText } from '../../../state/append-line.ts';
import { openRegular, readIfFit } from '../../../state/disk/regular-file.ts';
import { replaceText } from '../../../state/disk/replace-file.ts';
import { locateTask } from '../../../state/task-folder.ts';
import type { Arguments } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { type CiSystem, LOG_MARKS } from '../reporting.ts';

/** @param answer what the run prints. @returns the answer, with what is reported to CI in addition. */
export function publishInCi(system: CiSystem, ran: RanTask, answer: Ran, { given, words }: Arguments): Ran {
  const { neutralise } = LOG_MARKS[system];
  const { out, err = '' } = answer;
  // `##[` can occur only in a string of JSON, where the neutralise has the same value.
  const shown = out && (given.has('json') ? out.replaceAll('##[', '#\\u0023[') : neutralise(out));
  const annotations = system === 'github' ? tellGithub(ran, answer.exit, words[0]!) : '';
  return { ...answer, ...(shown === undefined ? {} : { out: shown }), err: `${neutralise(err)}${annotations}` };
}

/** @returns the lines that the service reads from the log. */
function tellGithub(ran: RanTask, exit: number, word: string): string {
  try {
    const summary = 'report' in ran ? `${stepSummary(ran.summary)}\n` : null;
    const lost = [
      ...appended('GITHUB_OUTPUT', stepOutputLines(outputsOf(ran, exit), `tollgate_${randomUUID()}`)),
      ...(summary === null ? [] : appended('GITHUB_STEP_SUMMARY', summary)),
    ];
    return `${annotationsOf(problemsIn(ran, word))}${lost.map((line) => `tollgate run: ${line}\n`).join('')}`;
  } catch (error) {
    // Another program may have put anything into a record. The run has ended, and still reports its result.
    return `tollgate run: the results could not be reported to the CI service: ${printable(String(error))}\n`;
  }
}

function problemsIn(ran: RanTask, word: string) {
  const located = locateTask(word, process.cwd(), process.env);
  if (located.how === 'invalid') return [];
  const { folder: task } = located;
  const root = rootOf(task, process.cwd(), process.env);
  if (!('report' in ran)) {
    if (ran.how !== 'invalid' && ran.exitCode === 0) return [];
    const place = { stage: null, place: null, signature: null, earlier_at: null };
    return [{ ...place, rule: `run/${ran.how}`, level: 'error' as const, task_id: task.id, text: ran.message }];
  }
  const { stages, failure, state } = ran.report;
  const shownFailure = failure && {
    ...failure,
    sentence: failureSentence(failure),
    text: failure.evidence?.text ?? null,
  };
  const level = state === 'interrupted' ? 'warning' : 'error';
  const problems = problemsOf({ task, root, stages, failure: shownFailure, level });
  return problems.map((problem) => redactedProblem(problem, ran.post));
}

function outputsOf(ran: RanTask, exit: number): Record<string, string> {
  if (!('report' in ran)) return { state: ran.how === 'awaited' ? 'awaited' : 'refused', exit_code: String(exit) };
  const { state, failure, stages, spent, files, commit } = ran.report;
  const last = answeredLast(ran.report);
  const answer = last === null ? null : readIfFit(last.answer!);
  return {
    state,
    exit_code: String(exit),
    class: failure?.class ?? '',
    reason: failure?.reason ?? '',
    verdict: last?.verdict ?? '',
    tokens: spent.calls_without_tokens > 0 ? '' : String(spent.tokens),
    cost: spent.calls_without_price > 0 ? '' : spent.usd.toFixed(4),
    session: stages.findLast(({ session_id }) => session_id !== null)?.session_id ?? '',
    summary_file: files.summary,
    answer_file: last?.answer ?? '',
    commit: commit?.id ?? '',
    comment: commentOf(ran),
    ...answerOutputs(answer ?? ''),
  };
}

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** @returns a sentence that says why it could not be appended; empty if it was appended, or not requested. */
function appended(variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): string[] {
  const file = process.env[variable];
  if (!file) return [];
  try {
    const fd = openRegular(file, O_RDWR | O_APPEND | O_CREAT);
    try {
      appendText(fd, file, text);
    } finally {
      closeSync(fd);
    }
    return [];
  } catch (error) {
    return [`what the step leaves could not be written to the file of ${variable}: ${(error as Error).message}`];
  }
}

/** Other people see the comment, so it contains no secret and no path of this machine. The answer is not changed. */
function commentOf({ report, post }: WrittenReport): string {
  const { task_id, state, failure, next_actions } = report;
  const last = answeredLast(report);
  const answer = (last && readIfFit(last.answer!)) ?? '';
  return commentText({
    task_id,
    state,
    failure,
    next_actions: next_actions.map((action) => mapAction(action, post)),
    answer: post(answer),
    checked_earlier: last?.checked_by === 'earlier_run' ? last.checked_at : null,
  });
}

/** A reasoner's last message says that the task is done, so the answer is the worker's. */
function answeredLast({ stages, supervision }: RunReport): RunReport['stages'][number] | null {
  const candidates = supervision === undefined ? stages : stages.filter(({ stage }) => stage === 'worker');
  return candidates.findLast(({ answer }) => answer !== null) ?? null;
}

/** A refused run writes no comment. An error here does not change how the run ended. */
export function withComment(file: string | undefined, ran: RanTask, answer: Ran): Ran {
  if (file === undefined || !('report' in ran)) return answer;
  try {
    replaceText(path.resolve(file), `${commentOf(ran)}\n`);
    return answer;
  } catch (error) {
    return { ...answer, err: `${answer.err ?? ''}tollgate run: --comment: ${(error as Error).message}\n` };
  }
}
