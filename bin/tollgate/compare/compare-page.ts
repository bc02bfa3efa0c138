// Renders a comparison as one self-contained HTML page: no network, no script, usable by keyboard.

import type { NextAction } from '../../../policies/facts/next-action.ts';
import {
  budgetWords,
  COMPARED_HEADINGS,
  type ComparedVariant,
  type ComparisonReport,
  comparedCells,
} from '../../../policies/report/comparison.ts';
import { markupText as text } from '../../../policies/report/inert-text.ts';
import { HTML_STYLE } from '../report/html-page.ts';

export function renderComparedHtml(report: ComparisonReport, diffs: ReadonlyMap<number, string>): string {
  const { comparison_id, goal, base, at, variants, budget, picked, next_actions } = report;
  const row = (variant: ComparedVariant) =>
    `<tr>${comparedCells(variant)
      .map(
        (cell, i) =>
          `<td${i === STATE ? ` class="${variant.state}"` : ''}>${i === NAME ? link(variant) : text(cell)}</td>`,
      )
      .join('')}</tr>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(comparison_id)}</title><style>${HTML_STYLE}${STYLE}</style></head><body>
<h1>Comparison</h1>
<p>${text(goal)}</p>
<p class="dim">${text(comparison_id)}, ${text(at.slice(0, 16))}Z, from commit ${text(base.slice(0, 12))}. ${text(budgetWords(budget, variants.length))}</p>
<div class="wide" tabindex="0"><table><thead><tr>${COMPARED_HEADINGS.map((heading) => `<th scope="col">${heading}</th>`).join('')}</tr></thead>
<tbody>${variants.map(row).join('\n')}</tbody></table></div>
${picked === null ? '' : `<p>The changes of variant ${picked.n} were applied.</p>`}
${variants.map((variant) => section(variant, diffs.get(variant.n) ?? '')).join('\n')}
${next_actions.length === 0 ? '' : `<section><h2>Next</h2><ul>${next_actions.map((action) => `<li>${actionMarkup(action)}</li>`).join('')}</ul></section>`}
</body></html>
`;
}

const actionMarkup = ({ text: what, command }: NextAction): string =>
  command === undefined ? text(what) : `${text(what)}: <code>${text(command)}</code>`;

const NAME = 1;
const STATE = 2;

const link = ({ n, name }: ComparedVariant): string => `<a href="#v${n}">${text(name)}</a>`;

function section({ n, name, sentence, evidence, lacks, answer, diff_problem }: ComparedVariant, diff: string): string {
  return `<section id="v${n}"><h2>${n}. ${text(name)}</h2>
${sentence === null ? '' : `<p class="failed">${text(sentence)}</p>`}
${evidence === null ? '' : `<p><code>${text(evidence)}</code></p>`}
${lacks.map((lack) => `<p>Warning: ${text(lack)}</p>`).join('\n')}
${answer === null ? '<p>There is no answer.</p>' : `<details open><summary>Answer</summary><div><pre tabindex="0">${text(answer)}</pre></div></details>`}
${diff_problem === null ? '' : `<p>Its changes cannot be shown: ${text(diff_problem)}</p>`}
${diff === '' ? '' : `<details><summary>Changes</summary><div><pre class="diff" tabindex="0">${diffLines(diff)}</pre></div></details>`}
</section>`;
}

const MOST_LINES = 5000;

function diffLines(diff: string): string {
  const lines = diff.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, MOST_LINES).map((line) => `<span class="${kindOf(line)}">${text(line)}</span>`);
  const more = lines.length - MOST_LINES;
  return [...shown, ...(more > 0 ? [`${more} more lines`] : [])].join('\n');
}

const kindOf = (line: string): string =>
  /^(?:diff |index |--- |\+\+\+ )/.test(line)
    ? 'head'
    : line.startsWith('+')
      ? 'done'
      : line.startsWith('-')
        ? 'failed'
        : '';

const STYLE = `pre{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}
.diff .head{font-weight:600}`;
