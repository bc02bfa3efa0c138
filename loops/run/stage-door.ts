// Whether a stage need be run at all: a done one is not paid again, unless its prompt has changed, and then not silently.

import { unlinkSync } from 'node:fs';
import path from 'node:path';
import type { Fact } from '../../state/facts.ts';
import type { Journal } from '../../state/journal.ts';
import type { Call } from '../../state/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { writeWhole } from '../../state/whole-file.ts';
import { readRegular } from '../../wrappers/regular-file.ts';
import type { Prompt } from './prompt.ts';

export type Door = { how: 'open' } | { how: 'done_earlier' } | { how: 'changed'; message: string };

export interface Wishes {
  redo: readonly string[];
  keep: readonly string[];
}

export function doorOf(stage: string, prompt: Prompt, journal: Journal, wishes: Wishes): Door {
  const { done, calls } = journal.read().ledger;
  const finished = done.get(stage);
  const isWished = wishes.redo.includes(stage) || wishes.keep.includes(stage);
  if (finished === undefined) {
    const paid = lastAnswered(stage, [...calls.values()]);
    if (paid === null || paid.reserved.for_prompt === prompt.sha256 || isWished) return { how: 'open' };
    return {
      how: 'changed',
      message: `stage ${stage} has an answer that was paid for and did not pass its gate, and its prompt has changed since (the scope and the acceptance commands are part of it); say --keep ${stage} to have that answer looked at again, or --redo ${stage} to pay for another`,
    };
  }
  if (wishes.redo.includes(stage)) return { how: 'open' };
  if (finished.prompt_sha256 === prompt.sha256 || isWished) return { how: 'done_earlier' };
  return {
    how: 'changed',
    message: `stage ${stage} is done, but its prompt has changed since; say --redo ${stage} to pay for it again, or --keep ${stage} to keep its answer`,
  };
}

/** The last call of a run for the stage, if it was answered. */
function lastAnswered(stage: string, calls: readonly Call[]): Call | null {
  const last = calls.findLast(
    ({ granted, reserved }) => granted && reserved.stage === stage && reserved.run_id !== null,
  );
  return last?.verdict?.class === null ? last : null;
}

/** A stage that is to be done again counts as open, whatever becomes of it. */
export function reopen(journal: Journal, stage: string): void {
  if (journal.read().ledger.done.has(stage)) journal.append({ fact: 'reopened', stage });
}

/** A run that was killed between a fact and its marker leaves them apart; the journal is right. */
export async function mendMarker(task: TaskFolder, journal: Journal, stage: string): Promise<void> {
  const finished = journal.read().ledger.done.get(stage);
  const file = markerIn(task, stage);
  if (finished === undefined) return remove(file);
  const text = markerOf(finished);
  if (textOf(file) !== text) await writeWhole(file, text, 'renamed');
}

const markerIn = (task: TaskFolder, stage: string) => path.join(task.done, `${stage}.done`);

const markerOf = ({ stage, call_id, prompt_sha256 }: Done) =>
  `${JSON.stringify({ stage, call_id, prompt_sha256 }, null, 2)}\n`;

type Done = Omit<Extract<Fact, { fact: 'done' }>, 'fact'>;

/** What cannot be removed, such as a folder of that name, is no marker. */
function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function textOf(file: string): string | null {
  try {
    return readRegular(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return null;
  }
}

/** The fact first, then the marker that people and waiters see. */
export async function markDone(
  task: TaskFolder,
  journal: Journal,
  stage: string,
  callId: string,
  prompt: Prompt,
): Promise<void> {
  const done = { stage, call_id: callId, prompt_sha256: prompt.sha256 };
  await journal.note({ ...done, fact: 'done' });
  await writeWhole(markerIn(task, stage), markerOf(done), 'renamed');
}
