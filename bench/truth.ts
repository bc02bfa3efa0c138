// Measures how far verdicts and signatures can be trusted: over the labelled corpus, its generated variants, and hostile text.
// npm run bench:truth -- [--seed N] [--only open|held|speed] [--corpus DIR] [--verbose | --json | [--markdown | --figures] [--date DATE]]

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeFigures } from './figures/measure.ts';
import { MARKDOWN_HEAD, markdownRows, speedRows } from './truth/figures.ts';
import { DEFAULT_SEED, measure, together } from './truth/measure.ts';
import { detailsOf, reportOf, speedReport } from './truth/report.ts';
import { readSets } from './truth/sets.ts';
import { measureThroughput, measureWorst } from './truth/speed.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    only: { type: 'string' },
    corpus: { type: 'string', default: 'test/corpus' },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
  },
});
const { only, date, verbose, json, markdown } = values;
// Before anything is measured, which takes a minute.
if ((markdown || values.figures) && only !== undefined)
  throw new Error('a table shows all sets, so it takes no --only');
const seed = Number(values.seed);
if (only !== undefined && !['open', 'held', 'speed'].includes(only))
  throw new Error('--only takes open, held or speed');
if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number');

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const timed = only === undefined || only === 'speed';
const throughput = timed ? measureThroughput() : null;
const sets = readSets(values.corpus);
const measured = measureSets();
const texts = [...sets.open, ...sets.held].map(({ labelled: { id, captured }, text }) => ({
  id,
  tool: captured.tool,
  text,
}));
const worst = timed ? measureWorst(texts) : null;
const figures = { version, seed, ...measured, throughput, worst };
console.log(json ? JSON.stringify(figures) : (markdown ? table() : text()).join('\n'));
// The caption, then the table.
if (values.figures) writeFigures('truth', [table()[0]!, table().slice(2).join('\n')]);

function measureSets() {
  if (only === 'speed') return {};
  if (only === 'open' || only === 'held') return { [only]: measure(sets[only], seed) };
  const [open, held] = [measure(sets.open, seed), measure(sets.held, seed)];
  if (sets.held.length === 0) return { open };
  return { open, held, together: together([...sets.open, ...sets.held], open, held) };
}

function text(): string[] {
  return [
    `tollgate ${version}, seed ${seed}`,
    ...(only === 'speed' ? [] : reportOf(measured)),
    ...(verbose ? detailsOf(measured) : []),
    ...(throughput && worst ? speedReport(throughput, worst) : []),
  ];
}

function table(): string[] {
  const { open, held } = measured;
  if (!open || !held || !throughput || !worst) throw new Error('--markdown shows all sets');
  return [
    `Version ${version}, ${date}, seed ${seed}, \`npm run bench:truth\`:`,
    '',
    ...MARKDOWN_HEAD,
    ...markdownRows(open, held),
    ...speedRows(throughput, worst),
  ];
}
