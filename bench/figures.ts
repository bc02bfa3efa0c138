// Every figure beside its peer, in one run: `npm run bench -- [NAME…] [--rounds N] [--json FILE]`.

import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { parseArgs } from 'node:util';
import { BATCH } from './figures/batch.ts';
import { FLOOD } from './figures/flood.ts';
import { HELPS } from './figures/helps.ts';
import { JOURNAL } from './figures/journal.ts';
import { MEMORY } from './figures/memory.ts';
import { REPORTS } from './figures/reports.ts';
import { type Figure, type FigureRow, table } from './figures/row.ts';
import { RUNS } from './figures/runs.ts';
import { TEXTS } from './figures/texts.ts';
import { WAITS } from './figures/waits.ts';
import { WRAPPERS } from './figures/wrappers.ts';

/** Texts first: code that has seen many others runs slower. */
const FIGURES: Record<string, Figure> = {
  texts: TEXTS,
  wrappers: WRAPPERS,
  runs: RUNS,
  batch: BATCH,
  help: HELPS,
  memory: MEMORY,
  stderr: FLOOD,
  journal: JOURNAL,
  wait: WAITS,
  report: REPORTS,
};

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '25' }, json: { type: 'string' } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const unknown = positionals.filter((name) => !Object.hasOwn(FIGURES, name));
if (unknown.length > 0 || !(Number.isInteger(rounds) && rounds > 0)) {
  console.error(`bench: [NAME…] [--rounds N] [--json FILE]; the names are ${Object.keys(FIGURES).join(', ')}`);
  process.exit(2);
}

const machine = {
  at: new Date().toISOString(),
  node: process.version,
  platform: `${process.platform} ${release()}`,
  cpus: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  load: loadavg()[0]!,
};
console.log(
  `${machine.at}, node ${machine.node}, ${machine.platform}, ${machine.cpus} × ${machine.cpu}, load ${machine.load.toFixed(1)} at the start; medians of ${rounds} rounds in turns\n`,
);
const measured: Record<string, FigureRow[]> = {};
for (const [name, { about, measure }] of Object.entries(FIGURES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  measured[name] = await measure(rounds);
  console.log(`${name}: ${about}\n\n${table(measured[name])}\n`);
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, rounds, measured }, null, 2)}\n`);
