// The answer of a run's call by a second name, in its attempt, until its gate: it is not paid again where somebody takes the first one away.

import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { isRegular, kindOf, readIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

/** In the folder of an attempt. */
export const keptAnswerIn = (attempt: string): string => path.join(attempt, 'answer');

const keptOf = ({ attempts }: TaskFolder, callId: string) => keptAnswerIn(path.join(attempts, callId));

export const hasKeptAnswer = (task: TaskFolder, callId: string): boolean => isRegular(keptOf(task, callId));

/** More than any answer that is published. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Publishes it once more where nothing stands. @returns whether it did. Throws what the operating system throws. */
export function putAnswerBack(task: TaskFolder, callId: string, out: string): boolean {
  if (kindOf(out) !== null) return false;
  const text = readIfFit(keptOf(task, callId), MAX_BYTES);
  if (text === null) return false;
  publishText(out, text, 'set_aside');
  return true;
}

/** Once a gate has looked at it: an answer may hold a key, and an attempt holds none. */
export function dropKeptAnswer(task: TaskFolder, callId: string): void {
  if (hasKeptAnswer(task, callId)) unlinkSync(keptOf(task, callId));
}
