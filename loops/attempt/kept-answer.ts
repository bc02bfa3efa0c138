// Keeps a second copy of a run's answer in its attempt until its gate, so that a removed answer is not paid again.

import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { isRegular, kindOf, readIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

/** The path of the copy in an attempt's folder. */
export const keptAnswerIn = (attempt: string): string => path.join(attempt, 'answer');

const keptOf = ({ attempts }: TaskFolder, callId: string) => keptAnswerIn(path.join(attempts, callId));

export const hasKeptAnswer = (task: TaskFolder, callId: string): boolean => isRegular(keptOf(task, callId));

/** Larger than any published answer. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Publishes the answer again if there is nothing in its place. @returns whether it did. Throws the errors of the operating
 * system.
 */
export function putAnswerBack(task: TaskFolder, callId: string, out: string): boolean {
  if (kindOf(out) !== null) return false;
  const text = readIfFit(keptOf(task, callId), MAX_BYTES);
  if (text === null) return false;
  publishText(out, text, 'set_aside');
  return true;
}

/** Called after a gate has checked the answer: an answer may hold a key, and an attempt must hold none. */
export function dropKeptAnswer(task: TaskFolder, callId: string): void {
  if (hasKeptAnswer(task, callId)) unlinkSync(keptOf(task, callId));
}
