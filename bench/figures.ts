// Every figure beside its peer, in one run: `npm run bench -- [NAME…] [--rounds N] [--json FILE] [--figures]`.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BATCH } from './figures/batch.ts';
import { CONSOLE } from './figures/console.ts';
import { CONSOLE_PAGE } from './figures/console-page.ts';
import { FLOOD } from './figures/flood.ts';
import { HELPS } from './figures/helps.ts';
import { HOSTILE } from './figures/hostile.ts';
import { JOURNAL } from './figures/journal.ts';
import { KILL } from './figures/kill.ts';
import { LIMITS } from './figures/limits.ts';
import { describe, machineNow } from './figures/machine.ts';
import { MCP } from './figures/mcp.ts';
import { MEMORY } from './figures/memory.ts';
import { writeFigures } from './figures/page.ts';
import { REPORTS } from './figures/reports.ts';
import { type Figure, type FigureRow, table } from './figures/row.ts';
import { RUNS } from './figures/runs.ts';
import { TEXTS } from './figures/texts.ts';
import { WAITS } from './figures/waits.ts';
import { WRAPPERS } from './figures/wrappers.ts';

/** Texts first: code that has seen many others runs slower. */
const FIGURES: Record<string, Figure> = {
  texts: TEXTS,
  hostile: HOSTILE,
  wrappers: WRAPPERS,
  runs: RUNS,
  limits: LIMITS,
  batch: BATCH,
  help: HELPS,
  memory: MEMORY,
  stderr: FLOOD,
  journal: JOURNAL,
  kill: KILL,
  mcp: MCP,
  console: CONSOLE,
  'console-page': CONSOLE_PAGE,
  wait: WAITS,
  report: REPORTS,
};

const PAGE = 'docs/figures.md';
const NAMES = Object.keys(FIGURES).join(', ');
const USAGE = `bench: [NAME…] [--rounds N] [--json FILE] [--figures] [--help]
NAME is one of ${NAMES}; without any, all are measured.
--rounds N      how often each side is measured, 25 without it
--json FILE     keeps the numbers
--figures       writes ${PAGE}, of all parts`;

const { values, positionals } = readFlags();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const rounds = Number(values.rounds);
const unknown = positionals.filter((name) => !Object.hasOwn(FIGURES, name));
if (unknown.length > 0) refuse(`there is no part ${unknown.join(', ')}`);
if (values.figures && positionals.length > 0) refuse('--figures is of all parts, so it takes no NAME');
if (!(Number.isInteger(rounds) && rounds > 0)) refuse(`--rounds is a whole number from 1, not ${values.rounds}`);

const machine = machineNow();
const lines = [describe(machine, rounds)];
console.log(`${lines[0]}\n`);
const measured: Record<string, FigureRow[]> = {};
for (const [name, { about, measure }] of Object.entries(FIGURES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  // One that fails says so, and takes nothing of the others away.
  const failure = await measure(rounds).then(
    (rows) => {
      measured[name] = rows;
      return null;
    },
    (error: Error) => error.message.split('\n')[0]!,
  );
  const shown = failure === null ? table(measured[name]!) : `could not be measured: ${failure}`;
  if (failure !== null) process.exitCode = 1;
  lines.push(`**${name}**: ${about}`, shown);
  console.log(`${name}: ${about}\n\n${shown}\n`);
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, rounds, measured }, null, 2)}\n`);
if (values.figures) writeFigures(PAGE, lines);

function readFlags() {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string', default: '25' },
        json: { type: 'string' },
        figures: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(why: string): never {
  console.error(`bench: ${why}\n${USAGE}`);
  process.exit(2);
}
