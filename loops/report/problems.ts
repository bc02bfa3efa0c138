// Lists the problems of a task or a report: findings of gates, comments of reviews, failures, and what answers lack.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { GateRecord } from '../../policies/facts/gate-record.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import {
  type FilePlace,
  type Problem,
  placeIn,
  redactedProblem,
  withinTree,
  withRelativePaths,
} from '../../policies/report/problem.ts';
import { findingsOf } from '../../policies/report/review-findings.ts';
import { readIfFit, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { gateFileOf } from '../task/gate-actions.ts';
import type { StageFacts } from '../task/stage-facts.ts';
import { readTask } from '../task/task.ts';
import type { TasksReport } from './collect.ts';

interface ShownFailure {
  stage: string | null;
  class: ErrorClass;
  reason: string | null;
  /** What happened. */
  sentence: string;
  /** The evidence. */
  text: string | null;
}

interface ProblemSource {
  task: TaskFolder;
  /** The absolute folder of the tree. Reported paths are relative to it. */
  root: string;
  /** In the order in which the problems are listed. */
  stages: readonly StageFacts[];
  /** null if there is no open failure. */
  failure: (ShownFailure & { signature: string | null }) | null;
  /** A stopped task has not failed, so it gets `warning`. */
  level: 'error' | 'warning';
}

/** In the order of the stages. Reads files that agents wrote; ignores what is no answer or gate record. */
export function problemsOf(source: ProblemSource): Problem[] {
  const { stages, failure } = source;
  const ofStages = stages.flatMap((stage) =>
    [...failuresOf(stage, source), ...reviewed(stage, source), ...lacking(stage, source)].map((problem) => ({
      ...problem,
      earlier_at: stage.checked_by === 'earlier_run' ? stage.checked_at : null,
    })),
  );
  if (
    failure === null ||
    ofStages.some(({ stage, rule }) => stage === failure.stage && /^(?:failure|gate)\//.test(rule))
  )
    return ofStages;
  return [...ofStages, failed(source, failure)];
}

function failuresOf(facts: StageFacts, source: ProblemSource): Problem[] {
  const { stage, tool, gate, class: errorClass, reason, evidence } = facts;
  const found = gate === 'failed' ? gateFindings(source, stage) : [];
  if (found.length > 0 || errorClass === null) return found;
  const sentence = failureSentence({ class: errorClass, reason, tool });
  return [failed(source, { stage, class: errorClass, reason, sentence, text: evidence?.text ?? null })];
}

const lacking = ({ stage, lacks }: StageFacts, { task }: ProblemSource): Omit<Problem, 'earlier_at'>[] =>
  lacks.map((text) => ({
    rule: 'answer/lacks',
    level: 'warning',
    task_id: task.id,
    stage,
    place: null,
    text,
    signature: null,
  }));

function failed(
  { task, level, failure }: ProblemSource,
  { stage, class: errorClass, reason, sentence, text }: ShownFailure,
): Problem {
  const what = `${errorClass}${reason === null ? '' : ` (${reason})`}: ${sentence}`;
  return {
    rule: `failure/${errorClass}`,
    level,
    task_id: task.id,
    stage,
    place: null,
    earlier_at: null,
    text: text === null ? what : `${what} ${text}`,
    signature: failure?.stage === stage ? failure.signature : null,
  };
}

function gateFindings({ task, root, level, failure }: ProblemSource, stage: string): Problem[] {
  const record = readJsonIfFit<Partial<GateRecord>>(gateFileOf(task, stage));
  const findings = Array.isArray(record?.findings) ? record.findings : [];
  return findings.flatMap(({ check, missing, text }) => {
    if (typeof check !== 'string' || typeof text !== 'string') return [];
    const rule = `gate/${check}`;
    const signature = failure?.stage === stage ? failure.signature : null;
    const one = { rule, level, task_id: task.id, stage, signature, earlier_at: null };
    const places = check === 'scope' && Array.isArray(missing) ? missing.flatMap((line) => strayIn(line, root)) : [];
    if (places.length === 0) return [{ ...one, place: placeIn(text, root), text }];
    return places.map(({ place, said }) => ({ ...one, place, text: `out of scope: ${said}` }));
  });
}

/** Parses a line of the gate such as `a/b.ts (added; scope.deny "a/**")`. */
function strayIn(line: unknown, root: string): { place: FilePlace; said: string }[] {
  const [, named] = (typeof line === 'string' && /^(.+) \((?:\w+); /s.exec(line)) || [];
  const path = named === undefined ? null : withinTree(unescaped(named), root);
  return path === null ? [] : [{ place: { path, line: null, endLine: null }, said: String(line) }];
}

/** The gate escapes names as JSON does. */
function unescaped(named: string): string {
  try {
    return JSON.parse(`"${named}"`);
  } catch {
    return named;
  }
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

function reviewed({ stage, answer }: StageFacts, { task, root }: ProblemSource): Problem[] {
  const text = answer === null ? null : readIfFit(answer, MAX_ANSWER_BYTES);
  if (text === null) return [];
  return findingsOf(text, root).map(({ severity, level, place, text }) => ({
    rule: `review/${severity ?? 'finding'}`,
    level,
    task_id: task.id,
    stage,
    place,
    text,
    signature: null,
    earlier_at: null,
  }));
}

/** In the report's order; what cannot be read counts as a problem. @param root texts have paths relative to it. */
export async function reportProblems(
  { tasks, unreadable }: TasksReport,
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const row of tasks) {
    const located = locateTask(`${row.folder}/`, '/', {});
    if (located.how === 'invalid') continue;
    const { stage, class: errorClass, reason, sentence, signature, evidence } = row;
    const failure =
      errorClass === null ? null : { stage, class: errorClass, reason, sentence: sentence!, signature, text: evidence };
    const level = row.state === 'interrupted' ? 'warning' : 'error';
    const { folder: task } = located;
    const found = problemsOf({ task, root, stages: row.stages, failure, level });
    if (found.length > 0) problems.push(...(await withoutSecrets(found, task, environment)));
  }
  const { redact } = createRedactor({ env: environment, patterns: [] });
  for (const { folder, message } of unreadable) {
    const task_id = folder.slice(folder.lastIndexOf('/') + 1);
    problems.push({ rule: 'report/unreadable', level: 'error', task_id, ...NOWHERE, text: redact(message) });
  }
  return problems.map((problem) => ({ ...problem, text: withRelativePaths(problem.text, [root]) }));
}

/** Hides the words of a review if the manifest, which may name more secrets, cannot be read. */
async function withoutSecrets(
  problems: readonly Problem[],
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
): Promise<Problem[]> {
  const read = await readTask({ word: `${task.root}/`, cwd: task.root, environment, trustWorkspace: true });
  const patterns = read.how === 'invalid' ? [] : read.manifest.security.redaction_patterns;
  const { redact } = redactorOf(environment, patterns);
  const shown =
    read.how === 'invalid'
      ? problems.map((problem) =>
          problem.rule.startsWith('review/') ? { ...problem, place: null, text: HIDDEN } : problem,
        )
      : problems;
  return shown.map((problem) => redactedProblem(problem, redact));
}

const HIDDEN = '[hidden: the manifest of the task cannot be read, and it may name secrets]';

const NOWHERE = { stage: null, place: null, signature: null, earlier_at: null };
