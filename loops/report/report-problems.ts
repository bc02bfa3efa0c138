// Lists the problems of all tasks of a report.

import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { withRelativePaths } from '../../policies/report/file-place.ts';
import type { Problem } from '../../policies/report/problem.ts';
import { locateTask } from '../../state/task-folder.ts';
import type { TasksReport } from './collect.ts';
import { problemsOf } from './problems.ts';

/**
 * Keeps the order of the report. What cannot be read counts as a problem.
 * @param root the project's root; paths in texts are relative to it.
 */
export function reportProblems(
  { tasks, unreadable }: Pick<TasksReport, 'tasks' | 'unreadable'>,
  root: string,
  environment: NodeJS.ProcessEnv,
): Problem[] {
  const recorded = tasks.flatMap((row) => {
    const located = locateTask(`${row.folder}/`, '/', {});
    if (located.how === 'invalid') return [];
    const { stage, class: errorClass, reason, signature, evidence } = row;
    const failure = errorClass === null ? null : { stage, class: errorClass, reason, signature, text: evidence };
    const level = row.state === 'interrupted' ? 'warning' : 'error';
    const { folder: task } = located;
    return problemsOf({ task, root, stages: row.stages, failure, level });
  });
  const unread = unreadable.map(({ folder, message }) => {
    const task_id = folder.slice(folder.lastIndexOf('/') + 1);
    return { rule: 'report/unreadable', level: 'error' as const, task_id, ...NOWHERE, text: message };
  });
  const { redact } = createRedactor({ env: environment, patterns: [] });
  return [...recorded, ...unread].map((problem) => ({
    ...problem,
    text: withRelativePaths(redact(problem.text), [root]),
  }));
}

const NOWHERE = { stage: null, place: null, signature: null, earlier_at: null };
