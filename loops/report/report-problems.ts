// Lists the problems of all tasks of a report.

import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { type Problem, redactedProblem, withRelativePaths } from '../../policies/report/problem.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { readTask } from '../task/task.ts';
import type { TasksReport } from './collect.ts';
import { problemsOf } from './problems.ts';

/**
 * Keeps the order of the report. What cannot be read counts as a problem.
 * @param root the project's root; paths in texts are relative to it.
 */
export async function reportProblems(
  { tasks, unreadable }: Pick<TasksReport, 'tasks' | 'unreadable'>,
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const row of tasks) {
    const located = locateTask(`${row.folder}/`, '/', {});
    if (located.how === 'invalid') continue;
    const { stage, class: errorClass, reason, signature, evidence } = row;
    const failure = errorClass === null ? null : { stage, class: errorClass, reason, signature, text: evidence };
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
