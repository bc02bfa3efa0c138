// Renders the page of a batch: at most 80 lines, however many tasks it had.

import path from 'node:path';
import { CLASSES } from '../../policies/facts/classes.ts';
import { actionLine } from '../../policies/facts/next-action.ts';
import { oneLine, visible } from '../../policies/text/display.ts';
import { notifiedLines } from '../upkeep/lines.ts';
import type { BatchFailure, BatchReport } from './report.ts';

const MAX_GROUPS = 14;
const MAX_CHARS = 400;

export function renderBatch(report: BatchReport): string {
  const { totals, by_failure: groups, notes, next_actions: next, files } = report;
  const more = groups.length - MAX_GROUPS;
  return visible(
    `${[
      `# Batch ${report.batch_id}: ${headline(report)}`,
      '',
      '| tasks | done | failed | broken | refused | interrupted | not started | paid calls | time |',
      '|---|---|---|---|---|---|---|---|---|',
      `| ${[totals.tasks, totals.done, totals.failed, totals.broken, totals.refused, totals.interrupted, totals.not_started, totals.calls].join(' | ')} | ${(totals.duration_ms / 1000).toFixed(1)} s |`,
      '',
      ...(groups.length === 0 ? [] : ['## Failures', '', ...groups.slice(0, MAX_GROUPS).flatMap(groupLines)]),
      ...(more > 0 ? [`- and ${more} more kinds of failure: ${path.basename(files.report)} has them all`] : []),
      ...(groups.length === 0 ? [] : ['']),
      ...notes.slice(0, 5).map((note) => `Note: ${oneLine(note, MAX_CHARS)}`),
      ...notifiedLines(report.notified ?? []),
      ...(next.length === 0 ? [] : ['Next:', ...next.map((action) => `- ${actionLine(action)}`)]),
      `Files: ${path.dirname(files.report)}${path.sep}`,
    ].join('\n')}\n`,
  );
}

function headline({ state, totals: { done, tasks } }: BatchReport): string {
  const share = `${done} of ${tasks} ${tasks === 1 ? 'task' : 'tasks'} done`;
  return state === 'interrupted' ? `interrupted, ${share}` : share;
}

function groupLines(group: BatchFailure): string[] {
  const { class: errorClass, reason, signature, message, count, task_ids: tasks } = group;
  const what = errorClass === null ? oneLine(message ?? 'failed', MAX_CHARS) : `${errorClass} (${reason})`;
  const rest = count > tasks.length ? ` and ${count - tasks.length} more` : '';
  return [
    `- ${count} × ${what}${signature === null ? '' : `, ${signature.slice(0, 19)}…`}: ${oneLine(tasks.join(', '), MAX_CHARS)}${rest}`,
    ...thenLine(group),
    ...group.next_actions
      .slice(0, 2)
      .map((action) => `  ${tasks[0]}: ${actionLine({ ...action, text: oneLine(action.text, MAX_CHARS) })}`),
  ];
}

/** The class's advice is used only if the failure itself has no next action. */
function thenLine({ class: errorClass, retry_at, next_actions }: BatchFailure): string[] {
  const advice = errorClass === null || next_actions.length > 0 ? [] : [CLASSES[errorClass].next];
  const words = [...advice, ...(retry_at === null ? [] : [`not before ${retry_at}`])].join(', ');
  return words === '' ? [] : [`  Then: ${words}`];
}
