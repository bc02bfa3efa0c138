// Opens a task for a run: its folder, its manifest, its journal with what people changed, and its claim.

import path from 'node:path';
import { type Journal, JournalError, openJournal } from '../../state/journal.ts';
import { readManifest } from '../../state/manifest.ts';
import type { Manifest, Stage } from '../../state/manifest-schema.ts';
import { adoptEdits } from '../../state/stats.ts';
import { locateTask, projectRoot, type TaskFolder } from '../../state/task-folder.ts';

export interface OpenTask {
  task: TaskFolder;
  manifest: Manifest;
  stages: Stage[];
  journal: Journal;
  /** Where the CLIs run. */
  cwd: string;
}

export type Opened = { how: 'opened'; open: OpenTask } | { how: 'mistaken'; message: string };

export async function openTask(
  word: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<Opened> {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'mistaken') return located;
  const { folder: task } = located;
  if (task.manifest === null)
    return {
      how: 'mistaken',
      message: `${task.root} has no manifest.yaml (nor manifest.json); see examples/ for one to copy`,
    };
  const read = await readManifest(task.manifest);
  if (read.how === 'mistaken') return read;
  const journal = openJournal(task.root, clock);
  try {
    const mistake = await adoptEdits(journal, clock);
    if (mistake !== null) return { how: 'mistaken', message: mistake };
    const { paid_call_budget: calls } = read.manifest.budgets;
    if (journal.read().ledger.manifestBudget !== calls) journal.append({ fact: 'budget', calls, from: 'manifest' });
  } catch (error) {
    if (error instanceof JournalError) return { how: 'mistaken', message: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { how: 'mistaken', message: `${task.state} cannot be written (${message}); nothing was started` };
  }
  const { manifest, stages } = read;
  const root = projectRoot(task.root);
  return { how: 'opened', open: { task, manifest, stages, journal, cwd: path.resolve(root, manifest.cwd ?? '.') } };
}
