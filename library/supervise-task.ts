// Supervises a task for a program, and passes it the user's answers, with options instead of flags.

import path from 'node:path';
import { refusalInCall } from '../loops/report/calling-call.ts';
import { findSupervised, leaveAnswer } from '../loops/supervise/find-supervised.ts';
import { superviseTask } from '../loops/supervise/supervise.ts';
import { inRun, LOOSENS } from './run-task.ts';
import type { AnswerOptions, NotedAnswer, SuperviseOptions, TaskEnd, ToolEvent } from './surface.ts';

/** Throws only on an internal error. @param tell receives each sentence of the run. */
export async function superviseNamed(
  word: string,
  { begin = 'resume', movedTree = 'refused', ...options }: SuperviseOptions,
  tell: (event: ToolEvent) => void,
  isUnread?: () => boolean,
): Promise<TaskEnd> {
  const { cwd = process.cwd(), environment = process.env } = options;
  const within = movedTree === 'accepted' ? await refusalInCall('accept a tree that has moved on', LOOSENS) : null;
  if (within !== null) return { how: 'invalid', message: within };
  const supervised = findSupervised(word, path.resolve(cwd), environment);
  if (supervised.how === 'invalid') return supervised;
  const say = (text: string) => {
    options.say?.(text);
    tell({ type: 'note', text });
  };
  if (supervised.found !== null) say(supervised.found);
  return inRun(supervised.word, { ...options, say }, (request) =>
    superviseTask(request, { begin, movedTree, ...(isUnread === undefined ? {} : { isUnread }) }),
  );
}

/** Stores the answer first: a task that parks meanwhile still gets it. */
export async function answerNamed(
  word: string,
  text: string,
  { later = false, ...options }: AnswerOptions,
  tell: (event: ToolEvent) => void,
): Promise<TaskEnd | NotedAnswer> {
  const { cwd = process.cwd(), environment = process.env } = options;
  const within = await refusalInCall('answer for a person', LOOSENS);
  if (within !== null) return { how: 'invalid', message: within };
  const left = await leaveAnswer(word, text, path.resolve(cwd), environment);
  if (left.how === 'invalid') return left;
  const { state } = left;
  return state === 'waiting' && !later
    ? superviseNamed(word, options, tell, left.isUnread)
    : { how: 'noted', task_state: state, message: left.message(word) };
}
