// Whether a stage need be run at all: a done one is not paid again, unless its prompt has changed, and then not silently.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Journal } from '../../state/journal.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { writeJson } from '../../state/whole-file.ts';
import type { Prompt } from './prompt.ts';

export type Door = { how: 'open' } | { how: 'done_earlier' } | { how: 'changed'; message: string };

export interface Wishes {
  redo: readonly string[];
  keep: readonly string[];
}

export function doorOf(stage: string, prompt: Prompt, journal: Journal, wishes: Wishes): Door {
  const done = journal.read().ledger.done.get(stage);
  if (done === undefined || wishes.redo.includes(stage)) return { how: 'open' };
  if (done.prompt_sha256 === prompt.sha256 || wishes.keep.includes(stage)) return { how: 'done_earlier' };
  return {
    how: 'changed',
    message: `stage ${stage} is done, but its prompt has changed since; say --redo ${stage} to pay for it again, or --keep ${stage} to keep its answer`,
  };
}

/** A stage that is to be done again counts as open, whatever becomes of it. */
export function reopen(task: TaskFolder, journal: Journal, stage: string): void {
  if (!journal.read().ledger.done.has(stage)) return;
  journal.append({ fact: 'reopened', stage });
  rmSync(path.join(task.done, `${stage}.done`), { force: true });
}

/** The fact first, then the marker that people and waiters see. */
export async function markDone(
  task: TaskFolder,
  journal: Journal,
  stage: string,
  callId: string,
  prompt: Prompt,
): Promise<void> {
  await journal.note({ fact: 'done', stage, call_id: callId, prompt_sha256: prompt.sha256 });
  await writeJson(path.join(task.done, `${stage}.done`), { stage, call_id: callId, prompt_sha256: prompt.sha256 });
}
