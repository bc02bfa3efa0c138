// Renders the report of all tasks as one self-contained HTML page: no network, no script, usable by keyboard.

import type { FailureGroup, TasksReport } from '../../../loops/report/collect.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { markupText } from '../../../policies/report/inert-text.ts';
import { byGravity, type Problem } from '../../../policies/report/problem.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { counted, oneLine, tookWords } from '../../../policies/text/display.ts';
import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import {
  failureWords,
  SPENT_HEADINGS,
  spentRows,
  spentTotals,
  spentWords,
  stateWords,
  taskCalls,
} from '../task-cells.ts';

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
  const { task_ids, signature, first_seen, last_seen, evidence, sentence } = group;
  const n = counted(task_ids.length, 'task');
  return details(
    `<b>${n}</b> <span class="failed">${text(failureWords(group.class, group.reason))}</span> ${text(sentence)}`,
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

/** Hides the other tasks when the user selects a state, without a script. */
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
  const {
    task_id,
    state,
    stage,
    sentence,
    signature,
    since,
    at,
    calls,
    evidence,
    next_action,
    retry_at,
    checked_at,
    lacks,
  } = row;
  const failure =
    row.class === null ? '' : `: ${failureWords(row.class, row.reason)}${stage === null ? '' : ` in ${stage}`}`;
  return details(
    `<span class="state ${state}">${stateWords(row)}</span>${text(task_id)}<span class="dim">${text(failure)}</span>`,
    [
      pairs([
        ['failure', sentence === null ? null : text(sentence)],
        ['evidence', evidence === null ? null : code(evidence, MAX_OF_TASK)],
        ['next', next_action === null ? null : code(actionLine(next_action), MAX_OF_TASK)],
        ['signature', signature === null ? null : code(signature)],
        ['since', since === null ? null : minute(since)],
        ['not before', retry_at === null ? null : minute(retry_at)],
        ['result of', checked_at === null ? null : minute(checked_at)],
        ['last', at === null ? null : minute(at)],
        ['paid calls', text(taskCalls(calls))],
        ['warnings', lacks.length === 0 ? null : text(lacks.join('; '))],
        ['question', row.supervision?.question ? text(cut(row.supervision.question)) : null],
      ]),
      row.stages.length === 0 ? '' : stageTable(row),
    ],
    ` id="t${i}" class="s-${state}"`,
  );
}

function stageTable({ stages }: TaskRow): string {
  const rows = stages.map(
    ({ stage, tool, account, stand_ins, state, duration_ms, tokens, gate, verdict, checked_at, checked_by }) =>
      [
        stage,
        `${tool ?? '-'}${inPlaceWords(stand_ins, account)}`,
        `${state.replace('_earlier', '')}${checked_by === 'earlier_run' ? ` (earlier run, ${checked_at!.slice(0, 16)}Z)` : ''}`,
        duration_ms === null ? '-' : tookWords(duration_ms),
        tokens === null ? '-' : String(tokens),
        gate ?? '-',
        verdict ?? '-',
      ].map(text),
  );
  return table(['stage', 'CLI', 'state', 'time', 'tokens', 'gate', 'verdict'], rows);
}

const details = (summary: string, blocks: readonly string[], attributes = ''): string =>
  `<details${attributes}><summary>${summary}</summary><div>${blocks.join('')}</div></details>`;

const pairs = (entries: readonly (readonly [name: string, markup: string | null])[]): string =>
  `<dl>${entries.flatMap(([name, markup]) => (markup === null ? [] : [`<dt>${name}</dt><dd>${markup}</dd>`])).join('')}</dl>`;

function taskLink(id: string, anchors: ReadonlyMap<string, string>): string {
  const anchor = anchors.get(id);
  return anchor === undefined ? text(id) : `<a href="#${anchor}">${text(id)}</a>`;
}

const minute = (at: string): string => text(`${at.slice(0, 16)}Z`);

const MAX_TEXT = 400;

const cut = (content: string, max = MAX_TEXT): string => oneLine(content, max);

/** There may be a thousand tasks, and the block of their failure shows more. */
const MAX_OF_TASK = 200;

const code = (content: string, max = MAX_TEXT): string => `<code>${text(cut(content, max))}</code>`;

const text = markupText;

/** The style of the page: light or dark as the reader's system is, and usable down to a width of 360 pixels. */
export const HTML_STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--paper:#fff;--card:#f6f8fa;--line:#d1d9e0;--link:#0550ae;
--done:#1a7f37;--failed:#c21c2c;--warn:#8a5a00;--run:#0969da}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9aa5b1;--paper:#0d1117;--card:#161b22;--line:#30363d;
--link:#79b8ff;--done:#4ac26b;--failed:#ff8182;--warn:#e3b341;--run:#6cb6ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
a{color:var(--link)}.dim{color:var(--dim)}
code,.mono{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.4rem .8rem}
.totals{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:.8rem 0;list-style:none}
.totals li{border:1px solid var(--line);background:var(--card);border-radius:6px;padding:.3rem .7rem}
.totals b{font-size:1.1rem;margin-right:.3rem}
fieldset{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1rem}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;background:var(--card)}
summary{cursor:pointer;padding:.5rem .8rem;overflow-wrap:anywhere}details>div{padding:0 .8rem .6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.3rem 0}
dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right}
.done{color:var(--done)}.failed,.refused,.error{color:var(--failed)}.interrupted,.parked,.warning{color:var(--warn)}.running{color:var(--run)}
.state{font-weight:600;margin-right:.5rem}ul.which{columns:14rem;padding-left:1.2rem;margin:.3rem 0}
@media (max-width:30rem){body{padding:.6rem}dl{grid-template-columns:1fr}dt{margin-top:.3rem}th,td{padding:.3rem .4rem}}
@media print{details>div{display:block}.skip,fieldset{display:none}}
`;
