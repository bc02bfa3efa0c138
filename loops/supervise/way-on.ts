// The lines that a person pastes to go on with a supervision: with what the run was allowed, and with the task's path where no name finds it.

import path from 'node:path';
import { type NextAction, toDo } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/shell-word.ts';
import type { Composing } from '../task/prompt.ts';

type Going = Pick<Composing, 'open' | 'options'>;

/** By the worker's session, as people copy it; by the task where none is known, or where it would not be found by that. */
export const resumeLine = (going: Going, session: string | null): string =>
  `${going.open.called.launcher} supervise --resume ${session !== null && isAtHome(going) ? session : wordOf(going)}${trustOf(going)}`;

export const answerLine = (going: Going): string =>
  `${going.open.called.launcher} answer ${wordOf(going)} "…"${trustOf(going)}`;

/** @param line as it was saved: with dots where the answer belongs. */
export const answerAction = (line: string): NextAction =>
  toDo(`ask the user, and give the answer in place of the dots: ${line}`);

const isAtHome = ({ open: { task, stateFolder } }: Going): boolean =>
  task.root === path.join(stateFolder, 'task', task.id);

const wordOf = (going: Going): string => shellWord(isAtHome(going) ? going.open.task.id : `${going.open.task.root}/`);

/** The manifest's own word needs none of ours. */
const trustOf = ({ open, options }: Going): string =>
  options.trustWorkspace && !open.manifest.security.trust_workspace ? ' --trust-workspace' : '';
