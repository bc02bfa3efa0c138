// Shows one task within tollgate watch: its log as it grows, or its summary; and stops it.

import path from 'node:path';
import { followCalls } from '../../../loops/report/follow.ts';
import { type NowTask, stopTask } from '../../../loops/report/now.ts';
import { readReasonerAnswer } from '../../../policies/supervise/reasoner-answer.ts';
import { cut, visible } from '../../../policies/text/display.ts';
import { readRegularOrNull } from '../../../state/disk/regular-file.ts';
import { locateTask, type TaskFolder } from '../../../state/task-folder.ts';
import { clockTime } from '../../from-here.ts';
import { coloursOf, type Sheet } from '../../sheet.ts';
import { cutLine, wrapped } from '../../wrap.ts';

interface Pane {
  title: string;
  lines: string[];
  close(): void;
}

/** The oldest lines are dropped. */
const MOST_LINES = 2000;
const MOST_CHARACTERS = 4000;

const folderOf = ({ folder }: NowTask): TaskFolder | null => {
  const located = locateTask(`${folder}/`, '/', {});
  return located.how === 'found' ? located.folder : null;
};

export function logPane(task: NowTask, draw: () => void): Pane {
  const stop = new AbortController();
  const pane: Pane = { title: `Log of ${task.task_id}`, lines: [], close: () => stop.abort() };
  const folder = folderOf(task);
  const add = (...lines: string[]) => {
    pane.lines.push(...lines.map((line) => cut(line, MOST_CHARACTERS)));
    pane.lines.splice(0, pane.lines.length - MOST_LINES);
    draw();
  };
  if (folder === null) add('its folder is gone');
  else
    void followCalls({
      task: folder,
      stage: null,
      until: 'end',
      events: 'words',
      environment: process.env,
      stop: stop.signal,
      clock: () => new Date(),
      begin: ({ reserved: { stage, tool, attempt, at } }) =>
        add(...(pane.lines.length === 0 ? [] : ['']), `── ${stage} (${tool}), attempt ${attempt}, ${clockTime(at)}`),
      take: async (lines) => {
        add(...lines.map((line) => `${line.of === 'stderr' ? 'stderr: ' : ''}${readable(line)}`));
        return stop.signal.aborted ? 'enough' : 'more';
      },
    }).then(
      (followed) => {
        if (followed.how === 'invalid') add(followed.message);
        else if (followed.calls === 0) add('No call was made yet.');
        else add(...followed.missing, '', 'No call is running.');
      },
      (error: Error) => add(error.message),
    );
  return pane;
}

/** A reasoner answers with an object, of which a user reads the action and its text. */
function readable({ of, stage, text }: { of: string; stage: string; text: string }): string {
  const read = of === 'event' && stage === 'reasoner' && text.startsWith('{') ? readReasonerAnswer(text) : null;
  if (read?.how !== 'read') return text;
  const { action, text: said } = read.answer;
  return said === '' ? action : `${action}: ${said}`;
}

export function summaryPane(task: NowTask): Pane {
  const folder = folderOf(task);
  const text = folder === null ? null : readSummary(folder);
  const lines = text === null ? ['there is no summary yet: it is written at the end of a run'] : text.split('\n');
  return { title: `Summary of ${task.task_id}`, lines, close: () => {} };
}

function readSummary(folder: TaskFolder): string | null {
  try {
    return readRegularOrNull(path.join(folder.outputs, '_summary.md'));
  } catch (error) {
    return `the summary cannot be read: ${(error as Error).message}`;
  }
}

export const closePane = (pane: Pane | null): void => pane?.close();

/** @param back lines that it is scrolled back from its end. @param height lines of the page, without that of the keys. */
export function panePage(
  { title, lines }: Pane,
  back: number,
  { width, ink }: { width: number; ink: Sheet['ink'] },
  height: number,
): string[] {
  const room = Math.max(1, height - 2);
  // The lines before these are not reached.
  const shown = rowsOf(lines.slice(-room - back), width);
  const start = Math.max(0, shown.length - room - back);
  const { bold, cyan } = coloursOf(ink);
  const page = shown.slice(start, start + room).map((line) => {
    const whole = cutLine(line, width);
    return line.startsWith('── ') ? cyan(whole) : whole;
  });
  return [bold(cutLine(title, width)), '', ...page];
}

const rowsOf = (lines: readonly string[], width: number): string[] =>
  lines.flatMap((line) => wrapped(visible(line).replaceAll('\t', '  '), width).split('\n'));

/** How far the pane is scrolled back at its first line. */
export const atTop = ({ lines }: Pane, width: number, height: number): number =>
  Math.max(0, rowsOf(lines, width).length - Math.max(1, height - 2));

/** Stops the task, and says what became of it. */
export async function stopWords(task: NowTask): Promise<string> {
  const folder = folderOf(task);
  if (folder === null) return `${task.task_id}: its folder is gone`;
  try {
    const stopped = await stopTask(folder);
    if (stopped.how === 'signalled') return `${task.task_id} is being stopped; a later run continues it`;
    if (stopped.how === 'idle') return `${task.task_id} does not run`;
    return `${task.task_id} runs on ${stopped.host}; stop it there`;
  } catch (error) {
    return `${task.task_id} could not be stopped: ${(error as Error).message}`;
  }
}
