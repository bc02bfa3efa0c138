// The package as a library: the commands' own loops, without an argument line, an exit or a word on any stream.

import { localClock } from '../loops/local-clock.ts';
import { triage as judge } from '../loops/triage/triage.ts';
import type { CallTool, Captured, ReadStanding, RunTask, SignatureOf, Triage } from './surface.ts';

/** Loaded when it is asked for: whoever only judges texts needs no dispatcher. */
export const runTask: RunTask = async (task, options) => (await import('./run-task.ts')).runNamed(task, options ?? {});

export const callTool: CallTool = async (tool, prompt, options) =>
  (await import('./call-tool.ts')).callNamed(tool, prompt, options ?? {});

export const readTask: ReadStanding = async (task, options) =>
  (await import('./task-standing.ts')).standingOf(task, options ?? {});

export const triage: Triage = (captured, now = new Date()) => {
  const { verdict, signature } = judge(wholly(captured), localClock(now));
  return { ...verdict, signature: signature?.signature ?? null };
};

export const signature: SignatureOf = (captured) => triage(captured).signature;

const wholly = ({ tool, stderr = '', stdout = '', exitCode = null }: Captured) => ({
  ...{ tool, stderr, stdout, exitCode },
  signal: null,
  ending: null,
});
