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
const USAGE = `bench: [NAME…] [--rounds N] [--json FILE] [--figures]; the names are ${Object.keys(FIGURES).join(', ')}; --figures writes ${PAGE}, of all of them`;

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    json: { type: 'string' },
    figures: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const isUnknown = positionals.some((name) => !Object.hasOwn(FIGURES, name));
if (isUnknown || (values.figures && positionals.length > 0) || !(Number.isInteger(rounds) && rounds > 0)) {
  console.error(USAGE);
  process.exit(2);
}

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
