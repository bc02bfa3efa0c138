// The report of all tasks as one page of HTML that needs nothing else: no network, no script, usable by keyboard.

import type { TasksReport } from '../../../loops/report/collect.ts';
import type { FailureGroup } from '../../../loops/report/groups.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { markupText } from '../../../policies/report/markup-text.ts';
import { byGravity, type Problem } from '../../../policies/report/problem.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { inPlaceWords } from '../../../policies/retry/stand-ins.ts';
import { oneLine } from '../../../policies/text/one-line.ts';
import { stateWords, taskCalls } from '../task-cells.ts';
import { HTML_STYLE } from './html-style.ts';
import { SPENT_HEADINGS, spentRows, spentTotals, spentWords } from './spent-words.ts';

export function renderHtml(report: TasksReport, problems: readonly Problem[], spent: readonly DaySpending[]): string {
  const { at, folder, tasks, groups, unreadable } = report;
  const findings = byGravity(problems).filter(({ rule }) => !rule.startsWith('failure/'));
  const anchors = new Map(tasks.map(({ task_id }, i) => [task_id, `t${i}`]));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tasks: ${text(folder)}</title><style>${HTML_STYLE}${filterStyle(statesOf(tasks))}</style></head><body>
<a class="skip" href="#tasks">To the tasks</a>
<h1>Tasks</h1>
<p class="dim">${text(folder)}, ${text(at.slice(0, 16))}Z</p>
${totals(report)}
${section(
  'Failures',
  'failures',
  groups.map((group) => groupBlock(group, anchors)),
)}
${section('Findings', 'findings', findings.length === 0 ? [] : [findingTable(findings, anchors)])}
${section('Spent', 'spent', spent.length === 0 ? [] : [spentTable(spent)])}
${section('Tasks', 'tasks', tasks.length === 0 ? ['<p>There are none.</p>'] : [filter(tasks), ...tasks.map(taskBlock)])}
${section(
  'Not readable',
  'unreadable',
  unreadable.map((one) => `<p><code>${text(one.folder)}</code>: ${text(cut(one.message))}</p>`),
)}
</body></html>
`;
}

const section = (title: string, id: string, blocks: readonly string[]): string =>
  blocks.length === 0 ? '' : `<section id="${id}"><h2>${title}</h2>\n${blocks.join('\n')}\n</section>`;

function totals({ totals: { tasks, unreadable, ...states } }: TasksReport): string {
  const shown = [
    ['', 'tasks', tasks] as const,
    ...Object.entries(states).map(([state, n]) => [state, state.replace('_', ' '), n] as const),
    ['failed', 'not readable', unreadable] as const,
  ].filter(([state, , n]) => state === '' || n > 0);
  return `<ul class="totals">${shown.map(([state, word, n]) => `<li class="${state}"><b>${n}</b>${word}</li>`).join('')}</ul>`;
}

function groupBlock(group: FailureGroup, anchors: ReadonlyMap<string, string>): string {
  const { task_ids, signature, first_seen, last_seen, evidence } = group;
  const n = `${task_ids.length} ${task_ids.length === 1 ? 'task' : 'tasks'}`;
  return details(
    `<b>${n}</b> <span class="failed">${text(failureOf(group.class, group.reason))}</span> ${text(cut(evidence ?? '', 140))}`,
    [
      pairs([
        ['evidence', evidence === null ? null : code(evidence)],
        ['signature', signature === null ? null : code(signature)],
        ['first seen', first_seen === null ? null : minute(first_seen)],
        ['last seen', last_seen === null ? null : minute(last_seen)],
      ]),
      `<ul class="which">${task_ids.map((id) => `<li>${taskLink(id, anchors)}</li>`).join('')}</ul>`,
    ],
  );
}

function findingTable(findings: readonly Problem[], anchors: ReadonlyMap<string, string>): string {
  const rows = findings.map(({ level, rule, place, task_id, stage, text: said }) => [
    `<span class="${level}">${text(rule)}</span>`,
    place === null ? '-' : code(`${place.path}${place.line === null ? '' : `:${place.line}`}`),
    text(cut(said)),
    `${taskLink(task_id, anchors)} ${text(stage ?? '')}`,
  ]);
  return table(['what', 'where', 'said', 'task'], rows);
}

function spentTable(spent: readonly DaySpending[]): string {
  return table(SPENT_HEADINGS, [
    ...spentRows(spent).map((cells) => cells.map(text)),
    ['<b>all</b>', '', ...spentWords(spentTotals(spent)).map((word) => `<b>${text(word)}</b>`)],
  ]);
}

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide" tabindex="0"><table><thead><tr>${headings.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead><tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}
</tbody></table></div>`;

const statesOf = (tasks: readonly TaskRow[]): string[] => [...new Set(tasks.map(({ state }) => state))];

/** Choosing a state hides the others, without a script. */
const filterStyle = (states: readonly string[]): string =>
  states.map((state) => `#tasks:has(#s-${state}:checked)>details:not(.s-${state}){display:none}`).join('\n');

function filter(tasks: readonly TaskRow[]): string {
  const states = statesOf(tasks);
  if (states.length < 2) return '';
  const radio = (id: string, word: string, checked: string) =>
    `<label><input type="radio" name="state" id="s-${id}"${checked}> ${word}</label>`;
  const others = states.map((state) => radio(state, state.replace('_', ' '), ''));
  return `<fieldset><legend>Show</legend>${[radio('all', 'all', ' checked'), ...others].join('')}</fieldset>`;
}

function taskBlock(row: TaskRow, i: number): string {
  const { task_id, state, stage, signature, since, at, calls, evidence, next_action, retry_at, checked_at } = row;
  const failure =
    row.class === null ? '' : `: ${failureOf(row.class, row.reason)}${stage === null ? '' : ` in ${stage}`}`;
  return details(
    `<span class="state ${state}">${stateWords(row)}</span>${text(task_id)}<span class="dim">${text(failure)}</span>`,
    [
      pairs([
        ['evidence', evidence === null ? null : code(evidence, MAX_OF_TASK)],
        ['next', next_action === null ? null : code(actionLine(next_action), MAX_OF_TASK)],
        ['signature', signature === null ? null : code(signature)],
        ['since', since === null ? null : minute(since)],
        ['not before', retry_at === null ? null : minute(retry_at)],
        ['result of', checked_at === null ? null : minute(checked_at)],
        ['last', at === null ? null : minute(at)],
        ['paid calls', text(taskCalls(calls))],
        ['question', row.supervision?.question ? text(cut(row.supervision.question)) : null],
      ]),
      row.stages.length === 0 ? '' : stageTable(row),
    ],
    ` id="t${i}" class="s-${state}"`,
  );
}

function stageTable({ stages }: TaskRow): string {
  const rows = stages.map(
    ({ stage, tool, stand_ins, state, duration_ms, tokens, gate, verdict, checked_at, checked_by }) =>
      [
        stage,
        `${tool ?? '-'}${inPlaceWords(stand_ins)}`,
        `${state.replace('_earlier', '')}${checked_by === 'earlier_run' ? ` (earlier run, ${checked_at!.slice(0, 16)}Z)` : ''}`,
        duration_ms === null ? '-' : `${(duration_ms / 1000).toFixed(1)} s`,
        tokens === null ? '-' : String(tokens),
        gate ?? '-',
        verdict ?? '-',
      ].map(text),
  );
  return table(['stage', 'CLI', 'state', 'time', 'tokens', 'gate', 'verdict'], rows);
}

const details = (summary: string, blocks: readonly string[], attributes = ''): string =>
  `<details${attributes}><summary>${summary}</summary><div>${blocks.join('')}</div></details>`;

const pairs = (told: readonly (readonly [name: string, markup: string | null])[]): string =>
  `<dl>${told.flatMap(([name, markup]) => (markup === null ? [] : [`<dt>${name}</dt><dd>${markup}</dd>`])).join('')}</dl>`;

function taskLink(id: string, anchors: ReadonlyMap<string, string>): string {
  const anchor = anchors.get(id);
  return anchor === undefined ? text(id) : `<a href="#${anchor}">${text(id)}</a>`;
}

const failureOf = (errorClass: string, reason: string | null) =>
  reason === null ? errorClass : `${errorClass} (${reason})`;

const minute = (at: string): string => text(`${at.slice(0, 16)}Z`);

const MAX_TEXT = 400;

const cut = (said: string, max = MAX_TEXT): string => oneLine(said, max);

/** There may be a thousand of them, and their failure has more. */
const MAX_OF_TASK = 200;

const code = (said: string, max = MAX_TEXT): string => `<code>${text(cut(said, max))}</code>`;

const text = markupText;
