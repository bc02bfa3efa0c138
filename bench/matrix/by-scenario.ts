// Prints the verdict of the wrappers on every scenario over the real CLIs: `npm run bench:matrix [tool] [pattern]`, with `-- --csv` as docs/figures/matrix.csv.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { callsOf, matrixRows } from '../../test/real/matrix/rows.ts';
import { type MatrixOutcome, runMatrix } from '../../test/real/matrix/run-matrix.ts';
import { CLIS } from '../../test/real/real-home.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { tableOf } from '../figures/measure.ts';

/** The seconds from the wrapper's start to its verdict. */
const SLOW_SECONDS = 8;

const isCsv = process.argv.includes('--csv');
const words = process.argv.slice(2).filter((word) => word !== '--csv');
const chosen = words.filter(isBuiltIn);
const tools = chosen.length > 0 ? chosen : TOOLS;
const pattern = new RegExp(words.find((word) => !isBuiltIn(word)) ?? '.');
const rows = matrixRows.filter((row) => pattern.test(row.name));
const outcomes = await runMatrix(
  rows.flatMap((row) => callsOf(row, tools)),
  ({ call, faults }) => process.stderr.write(`${call.tool} ${call.name}: ${faults.join('; ') || 'right'}\n`),
);
console.log(isCsv ? csv(outcomes) : [table(outcomes), '', ...totals(outcomes)].join('\n'));
process.exitCode = outcomes.some((outcome) => outcome.faults.length > 0) ? 1 : 0;

/** One line per scenario, one cell per tool: exit code, verdict, model requests, seconds, survivors. */
function table(all: MatrixOutcome[]): string {
  const head = ['scenario', ...tools.map((tool) => `${tool} ${versionOf(tool)}`)];
  const lines = rows.map((row) => {
    const cells = tools.map((tool) => cell(all.find(({ call }) => call.name === row.name && call.tool === tool)));
    return [row.name, ...cells];
  });
  return tableOf(head, lines);
}

function csv(all: MatrixOutcome[]): string {
  const lines = all.map(({ call, exit, class: found, reason, requests, seconds, survivors }) => {
    const name = call.name.includes(',') ? `"${call.name}"` : call.name;
    const verdict = [found ?? 'ok', reason ?? ''];
    return [name, call.tool, versionOf(call.tool), exit, ...verdict, requests, seconds.toFixed(1), survivors].join();
  });
  return ['scenario,cli,version,exit,class,reason,requests,seconds,survivors', ...lines].join('\n');
}

function cell(outcome: MatrixOutcome | undefined): string {
  if (outcome === undefined) return '–';
  const { exit, requests, seconds, survivors, faults, reason } = outcome;
  const verdict = outcome.class === null ? 'ok' : `${outcome.class}${reason ? `/${reason}` : ''}`;
  const counted = `${exit} ${verdict}, ${requests} req, ${seconds.toFixed(1)} s, ${survivors} remain`;
  return faults.length === 0 ? counted : `**WRONG** ${counted}: ${faults.join('; ')}`;
}

function totals(all: MatrixOutcome[]): string[] {
  const failing = all.filter(({ call }) => call.expected.class !== null);
  const timed = failing.filter(({ call }) => call.deadline === 'none');
  const slowest = timed.reduce((a, b) => (b.seconds > a.seconds ? b : a), timed[0] ?? all[0]!);
  const percent = (right: number) => `${((100 * right) / all.length).toFixed(1)} % of ${all.length}`;
  const mostRequests = Math.max(0, ...failing.map((one) => one.requests - toolTurns(one)));
  return [
    `exit code right: ${percent(all.filter((one) => one.exit === one.expectedExit).length)}`,
    `class right: ${percent(all.filter((one) => one.class === one.call.expected.class).length)}`,
    `false successes: ${failing.filter((one) => one.exit === 0).length}`,
    `false failures: ${all.filter((one) => one.call.expected.class === null && one.exit !== 0).length}`,
    `survivors: ${all.reduce((sum, one) => sum + one.survivors, 0)}`,
    `most model requests for a failing call, tool turns aside: ${mostRequests}`,
    `failing calls over ${SLOW_SECONDS} s without a deadline: ${timed.filter((one) => one.seconds > SLOW_SECONDS).length}`,
    `slowest failing call without a deadline: ${slowest.seconds.toFixed(1)} s (${slowest.call.tool} ${slowest.call.name})`,
  ];
}

/** A scenario with a tool needs one request before the failing one. */
function toolTurns({ call }: MatrixOutcome): number {
  return /^tool(-then|loop)/.test(call.scenario) ? 1 : 0;
}

function versionOf(tool: (typeof TOOLS)[number]): string {
  return JSON.parse(readFileSync(path.join(CLIS, ADAPTERS[tool].packageName, 'package.json'), 'utf8')).version;
}
