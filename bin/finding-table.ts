// Prints preflight's findings for a user.

import type { CheckFinding } from '../policies/facts/finding.ts';
import { visible } from '../policies/text/display.ts';
import { coloursOf } from './sheet.ts';

interface TableStyle {
  which: 'all' | 'problems';
  ink: 'colour' | 'plain';
}

export function renderFindings(findings: readonly CheckFinding[], style: TableStyle): string {
  const rows = renderRows(findings, style);
  return `${rows}${style.which === 'all' ? '\n' : ''}${summarise(problemsOf(findings))}\n`;
}

/** The table alone. */
export function renderRows(findings: readonly CheckFinding[], { which, ink }: TableStyle): string {
  const colours = coloursOf(ink);
  const paint = { ok: colours.green, note: colours.cyan, warn: colours.yellow, fail: colours.red } as const;
  const shown = which === 'all' ? findings : problemsOf(findings);
  const width = Math.max(0, ...shown.map(({ check }) => check.length));
  const rows = shown.map(({ check, status, found, fix }) => {
    const row = `${paint[status](status.padEnd(4))}  ${check.padEnd(width)}  ${visible(found)}\n`;
    return fix === null ? row : `${row}${' '.repeat(width + 8)}${colours.dim('→')} ${visible(fix)}\n`;
  });
  return rows.join('');
}

const problemsOf = (findings: readonly CheckFinding[]): CheckFinding[] =>
  findings.filter(({ status }) => status === 'warn' || status === 'fail');

function summarise(problems: readonly CheckFinding[]): string {
  const count = (status: CheckFinding['status']) => problems.filter((finding) => finding.status === status).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed + warned === 0) return 'Ready.';
  const warnings = `${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
  if (failed === 0) return `Ready, with ${warnings}.`;
  return `Not ready: ${failed} failed${warned === 0 ? '' : `, ${warnings}`}.`;
}
