// What tollgate run prints: with --json one object for every end, else the summary.

import path from 'node:path';
import { exitByClass } from '../../loops/call/exit.ts';
import type { RanTask as TaskRan } from '../../loops/run/run-work.ts';
import { EXIT_BUG, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { refusalOf } from '../../state/system-error.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { unexpected } from '../command.ts';
import type { Arguments } from '../command-line.ts';
import type { Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { onSheet } from '../terminal-page.ts';

/** By which a task is run, or gone on with. */
export type RunningWord = 'run' | 'supervise' | 'answer';

export function answerTo(ran: TaskRan, { given, words }: Arguments, command: RunningWord = 'run'): Ran {
  if (ran.how === 'ran') return reported(ran, given);
  if (ran.how === 'refused') {
    const refused = { exit: ran.report.exit_code, err: `tollgate ${command}: ${ran.message}\n` };
    return given.has('json') ? { ...refused, out: `${JSON.stringify(ran.report)}\n` } : refused;
  }
  const exit = ran.how === 'invalid' ? TOLLGATE_EXIT.badInput : ran.exitCode;
  const state = ran.how === 'awaited' ? 'awaited' : 'refused';
  const err = `tollgate ${command}: ${ran.message}\n`;
  return given.has('json')
    ? { exit, err, out: answerWithoutRun(words[0] ?? null, state, exit, ran.message, command) }
    : { exit, err };
}

/** For what nobody expected: whoever reads stdout as JSON gets JSON all the same. */
export function surprise({ given, words }: Arguments, command: RunningWord = 'run'): (error: unknown) => Ran {
  return (error) => {
    const ran = unexpected(error);
    return given.has('json')
      ? {
          ...ran,
          out: answerWithoutRun(words[0] ?? null, 'refused', ran.exit, refusalOf(error) ?? String(error), command),
        }
      : ran;
  };
}

/** One object for an end without a report. @param word the task as it was named, if it was. */
export function answerWithoutRun(
  word: string | null,
  state: 'refused' | 'awaited',
  exit_code: number,
  message: string,
  command: RunningWord = 'run',
): string {
  const located = word === null ? null : locateTask(word, process.cwd(), process.env);
  const task_id = located?.how === 'located' ? located.folder.id : null;
  const next_actions = afterNothing(state, exit_code, located?.how === 'located' ? located.folder : null, command);
  return `${JSON.stringify({ schema: 1, task_id, state, exit_code, message, next_actions })}\n`;
}

/** Lines to type, or one sentence each. */
function afterNothing(
  state: 'refused' | 'awaited',
  exitCode: number,
  task: TaskFolder | null,
  command: RunningWord,
): string[] {
  if (exitCode === EXIT_BUG) return ['report it as a bug of tollgate, with what stands on stderr'];
  if (task === null) return [`tollgate ${command} --help`];
  if (state === 'refused')
    return [`when what the message names is mended: tollgate ${command === 'run' ? 'run' : 'supervise'} ${task.id}`];
  const summary = `read ${path.join(task.outputs, '_summary.md')}`;
  return exitCode === TOLLGATE_EXIT.ok ? [summary] : [summary, `tollgate explain ${task.id}`];
}

function reported({ report, summary }: TaskRan & { how: 'ran' }, given: Arguments['given']): Ran {
  const { failure, exit_code } = report;
  const verdict = failure && { class: failure.class, reason: failure.reason, evidence: null, retry_at: null };
  const exit = verdict !== null && given.has('exit-by-class') ? exitByClass(exit_code, verdict) : exit_code;
  if (given.has('json')) return { exit, out: `${JSON.stringify(report)}\n` };
  return { exit, out: onSheet(summary, sheetOf(process.env)) };
}
