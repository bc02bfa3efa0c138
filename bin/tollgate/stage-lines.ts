// Shows a run on a terminal: a line for each stage and each message, and below them one that moves with the running call.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import type { FinishedStage, RunContext } from '../../loops/task/run-context.ts';
import { figure, visible } from '../../policies/text/display.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';
import { coloursOf, type Paint, type Sheet, sheetFor } from '../sheet.ts';
import { cutLine, lengthOf } from '../wrap.ts';
import { spell } from './task-cells.ts';

export interface StageLines {
  progress: Progress;
  reporter: Pick<RunContext, 'say' | 'watch' | 'ended'>;
}

export function startStageLines(): StageLines {
  const stream = printing('stderr');
  const sheet = sheetFor(stream, process.env);
  let message = '';
  let underway: Underway | null = null;
  let since = performance.now();
  const present = (room: number): string => {
    const elapsedMs = performance.now() - since;
    return underway === null ? `${message} (${spell(elapsedMs)})` : callLine(underway, elapsedMs, room);
  };
  const progress = startProgress(stream, 'all', present, since, () => '');
  return {
    progress,
    reporter: {
      say(sentence, what) {
        message = sentence;
        if (underway === null) since = performance.now();
        if (what !== 'step') progress.print(`· ${sentence}`);
      },
      watch(now) {
        if (now === null && underway !== null) message = `${underway.stage}: the call has ended; its answer is checked`;
        underway = now;
        since = performance.now();
      },
      ended: (stage) => progress.printPainted(stageLine(stage, sheet)),
    },
  };
}

/** What the CLI does may be long, and is cut; the figures after it are not. */
export function callLine(call: Underway, elapsedMs: number, room: number): string {
  const time = `${spell(elapsedMs)} of ${spell(call.timeoutMs).replace(/ 0 \w+$/, '')}`;
  const figures = ` (${[time, ...call.paid].join('; ')})`;
  const head = `${call.stage}: ${call.tool} `;
  const action = visible(lastEvent(call) ?? 'has said nothing yet');
  return `${head}${cutLine(action, Math.max(LEAST_ACTION, room - lengthOf(head) - lengthOf(figures)))}${figures}`;
}

const LEAST_ACTION = 12;

const MARKS: Record<string, [mark: string, paint: Paint]> = {
  done: ['✓', 'green'],
  done_earlier: ['✓', 'dim'],
  failed: ['✗', 'red'],
  failed_earlier: ['✗', 'red'],
  interrupted: ['■', 'yellow'],
  interrupted_earlier: ['■', 'yellow'],
};

/** `✓ codex_impl  done  codex  1 min 5 s  1 call  9,450 tokens`. Figures of an earlier run are omitted. */
export function stageLine(ended: FinishedStage, { ink }: Sheet): string {
  const { stage, state, tool, calls, duration_ms: ms, tokens } = ended;
  const [mark, paint] = MARKS[state] ?? ['○', 'dim'];
  const words = state === 'pending' ? 'not started' : state.replace('_', ' ');
  const why = state === 'failed' && ended.class !== null ? `: ${ended.class} (${ended.reason})` : '';
  const figures = [
    tool,
    ms === null ? null : ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : spell(ms),
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    tokens === null ? null : `${figure(tokens)} tokens`,
  ].filter((text) => text !== null);
  const head = coloursOf(ink)[paint](`${mark} ${visible(stage)}  ${words}${visible(why)}`);
  return calls === 0 ? head : `${head}  ${figures.join('  ')}`;
}
