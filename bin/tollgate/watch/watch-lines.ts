// Renders the changes of tollgate watch as lines, for output that is not a terminal.

import type { NowChange, NowWait, RunsNow } from '../../../loops/report/now.ts';
import { oneLine, visible } from '../../../policies/text/display.ts';
import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';

/** Includes the line end. */
export const changeLine = (change: NowChange): string =>
  `${oneLine(visible(`${change.at.slice(11, 19)} ${change.task_id}: ${wordsOf(change)}`))}\n`;

/** Reports the totals when no task is at work any more. Includes the line end. */
export const overLine = (now: RunsNow): string =>
  `${oneLine(visible(`${now.at.slice(11, 19)} none is at work: ${totalsOf(now)}`))}\n`;

/** Counts the tasks by state, in a few words. */
export function totalsOf({ totals, tasks, folder }: RunsNow): string {
  const { tasks: all, ...states } = totals;
  const inLine = tasks.filter(({ waits }) => waits !== null).length;
  const parts = Object.entries(states).flatMap(([state, n]) => (n === 0 ? [] : [`${n} ${state.replace('_', ' ')}`]));
  if (inLine > 0) parts.push(`${inLine} waiting`);
  return parts.length === 0 ? `no task in ${folder}` : `${parts.join(', ')} of ${all}`;
}

function wordsOf(change: NowChange): string {
  switch (change.change) {
    case 'began':
      return 'is at work';
    case 'called':
      return `${change.call.stage}: asks ${change.call.tool}${inPlaceWords(change.call.stand_ins)} (attempt ${change.call.attempt})`;
    case 'said':
      return `${change.call.stage}: ${change.call.last}`;
    case 'call_ended':
      return `${change.call.stage}: the call of ${change.call.tool} has ended`;
    case 'waits':
      return `${change.waits.stage}: ${waitWords(change.waits)}`;
    case 'ended': {
      const { state, stage, class: errorClass, reason } = change;
      return errorClass === null
        ? state.replace('_', ' ')
        : `${state.replace('_', ' ')}: ${stage ?? 'the start'}, ${errorClass} (${reason})`;
    }
    case 'unreadable':
      return `cannot be read: ${change.message}`;
    case 'gone':
      return 'is gone: archived, or deleted';
  }
}

export function waitWords(waits: NowWait): string {
  if (waits.what === 'time') return `waits until ${waits.until.slice(0, 19)}Z`;
  const behind = waits.behind.slice(0, 3).join(', ');
  const more = waits.behind.length > 3 ? ` and ${waits.behind.length - 3} more` : '';
  return `waits for its ${waits.what} behind ${behind}${more}`;
}
