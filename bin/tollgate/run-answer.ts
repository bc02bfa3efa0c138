// Formats what tollgate run prints: with --json one object for every end, otherwise the summary.

import path from 'node:path';
import { exitByClass } from '../../loops/call/exit.ts';
import { launcherIn } from '../../loops/launcher.ts';
import type { RanTask as TaskRan } from '../../loops/run/owned-run.ts';
import { EXIT_BUG, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { type NextAction, toDo, toType } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/display.ts';
import { refusalOf } from '../../state/system-error.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { unexpected } from '../command.ts';
import type { Arguments } from '../command-line.ts';
import type { Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { onSheet } from '../terminal-page.ts';
import { runPage } from './run-page.ts';

/** The command that runs or continues a task. */
type RunningWord = 'run' | 'supervise' | 'answer';

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
    ? { exit, err, out: answerWithoutRun(words[0] ?? null, state, exit, ran.message, command, given) }
    : { exit, err };
}

/** Handles an unexpected error: a caller that reads stdout as JSON still gets JSON. */
export function surprise({ given, words }: Arguments, command: RunningWord = 'run'): (error: unknown) => Ran {
  return (error) => {
    const ran = unexpected(error);
    return given.has('json')
      ? {
          ...ran,
          out: answerWithoutRun(
            words[0] ?? null,
            'refused',
            ran.exit,
            refusalOf(error) ?? String(error),
            command,
            given,
          ),
        }
      : ran;
  };
}

/** Makes the one object for an end without a report. @param word the task as the user named it, if the user did. */
export function answerWithoutRun(
  word: string | null,
  state: 'refused' | 'awaited',
  exit_code: number,
  message: string,
  command: RunningWord = 'run',
  given: ReadonlySet<string> = new Set(),
): string {
  const located = word === null ? null : locateTask(word, process.cwd(), process.env);
  const task_id = located?.how === 'found' ? located.folder.id : null;
  const next_actions = afterNothing(
    { state, exit_code, command, word: word ?? '', trusts: given.has('trust-workspace') },
    located?.how === 'found' ? located.folder : null,
  );
  return `${JSON.stringify({ schema: 1, task_id, state, exit_code, message, next_actions })}\n`;
}

interface NotRun {
  state: 'refused' | 'awaited';
  exit_code: number;
  word: string;
  command: RunningWord;
  /** The command was given --trust-workspace. */
  trusts: boolean;
}

function afterNothing(
  { state, exit_code: exitCode, word, command, trusts }: NotRun,
  task: TaskFolder | null,
): NextAction[] {
  const launcher = launcherIn(process.env);
  if (exitCode === EXIT_BUG) return [toDo('report it as a bug of tollgate, with the text of stderr')];
  if (task === null) return [toType('see how it is called', `${launcher} ${command} --help`)];
  if (state === 'refused')
    return [
      toType(
        'fix what the message names, then continue',
        `${launcher} ${command === 'run' ? 'run' : 'supervise'} ${shellWord(word)}${trusts ? ' --trust-workspace' : ''}`,
        'pays',
      ),
    ];
  const summary = toDo(`read ${path.join(task.outputs, '_summary.md')}`);
  const why = toType('see why it failed', `${launcher} explain ${shellWord(word)}`);
  return exitCode === TOLLGATE_EXIT.ok ? [summary] : [summary, why];
}

function reported({ report, summary }: TaskRan & { how: 'ran' }, given: Arguments['given']): Ran {
  const { failure, exit_code } = report;
  const verdict = failure && { class: failure.class, reason: failure.reason, evidence: null, retry_at: null };
  const exit = verdict !== null && given.has('exit-by-class') ? exitByClass(exit_code, verdict) : exit_code;
  if (given.has('json')) return { exit, out: `${JSON.stringify(report)}\n` };
  const sheet = sheetOf(process.env);
  return { exit, out: sheet.width !== null ? runPage(report, sheet) : onSheet(summary, sheet), isPage: true };
}
