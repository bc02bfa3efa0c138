// Collects the spending of a report's tasks: every paid call in their journals, by day and CLI.

import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { type DaySpending, priceOf, type SpentCall, spendingByDay } from '../../policies/report/spending.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { readProject } from '../../state/project/project.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { rootOf } from '../task/task.ts';
import type { TasksReport } from './collect.ts';

/** Uses the prices of each task's project, as far as they can be read. */
export async function collectSpending(
  { tasks }: Pick<TasksReport, 'tasks'>,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<DaySpending[]> {
  const prices = new Map<string, ProjectFile['prices']>();
  const calls: SpentCall[] = [];
  for (const { folder } of tasks) {
    const located = locateTask(`${folder}/`, '/', {});
    if (located.how === 'invalid') continue;
    const root = rootOf(located.folder, cwd, environment);
    if (!prices.has(root)) prices.set(root, await pricesOf(root));
    calls.push(...callsOf(located.folder, prices.get(root)!));
  }
  return spendingByDay(calls);
}

async function pricesOf(root: string): Promise<ProjectFile['prices']> {
  const project = await readProject(root);
  return project.how === 'read' ? project.value.prices : {};
}

function callsOf(task: TaskFolder, prices: ProjectFile['prices']): SpentCall[] {
  try {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    return [...ledger.calls.values()].flatMap((call) => {
      if (!call.granted) return [];
      const record = findRecord(task, call);
      const usd = record?.usage === undefined ? null : priceOf(record, prices);
      return {
        day: call.reserved.at.slice(0, 10),
        tool: call.reserved.tool,
        tokens: record?.usage?.total_tokens ?? null,
        usd,
        durationMs: record?.duration_ms ?? null,
      };
    });
  } catch (error) {
    // The report itself lists a task whose journal cannot be read.
    if (error instanceof JournalError) return [];
    throw error;
  }
}
