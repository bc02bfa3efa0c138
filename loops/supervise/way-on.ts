// Builds the commands that continue a supervision, with the run's permissions, and the task's path if its name is not enough.

import path from 'node:path';
import { type NextAction, toDo } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/display.ts';
import type { Composing } from '../task/prompt.ts';

type Going = Pick<Composing, 'open' | 'options'>;

/**
 * Names the worker's session, because users copy that id. Names the task if no session is known, or if a lookup by session would
 * not find it.
 */
export const resumeLine = (going: Going, session: string | null): string =>
  `${going.open.called.launcher} supervise --resume ${session !== null && isAtHome(going) ? session : wordOf(going)}${trustOf(going)}`;

export const answerLine = (going: Going): string =>
  `${going.open.called.launcher} answer ${wordOf(going)} "…"${trustOf(going)}`;

/** @param line the saved line, with dots in place of the answer. */
export const answerAction = (line: string): NextAction =>
  toDo(`ask the user, and give the answer in place of the dots: ${line}`);

const isAtHome = ({ open: { task, stateFolder } }: Going): boolean =>
  task.root === path.join(stateFolder, 'task', task.id);

const wordOf = (going: Going): string => shellWord(isAtHome(going) ? going.open.task.id : `${going.open.task.root}/`);

/** If the manifest grants trust, no flag is needed. */
const trustOf = ({ open, options }: Going): string =>
  options.trustWorkspace && !open.manifest.security.trust_workspace ? ' --trust-workspace' : '';
