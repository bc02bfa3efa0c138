// Measures how reliable verdicts and signatures are: over the labelled corpus, its generated variants, and hostile text.

// npm run bench:truth -- [--seed N] [--only speed] [--corpus DIR] [--verbose] [--figures]

import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { writeFigures } from './figures/measure.ts';
import { MARKDOWN_HEAD, markdownRows, speedRows } from './truth/figures.ts';
import { DEFAULT_SEED, measure } from './truth/measure.ts';
import { detailsOf, overviewOf, worstShown } from './truth/report.ts';
import { measureThroughput, measureWorst } from './truth/speed.ts';
import { readSets } from './truth/subject.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    only: { type: 'string' },
    corpus: { type: 'string', default: 'test/corpus' },
    verbose: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
if (values.only !== undefined && values.only !== 'speed') throw new Error('--only takes speed');
if (values.figures && values.only !== undefined) throw new Error('a table shows all sets, so it takes no --only');
if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number');

const throughput = measureThroughput();
const worst = measureWorst();
const speed = speedRows(throughput, worst);
if (values.only === 'speed') console.log([...speed, '', ...worstShown(worst)].join('\n'));
else {
  const sets = readSets(values.corpus);
  const measured = { open: measure(sets.open, seed), held: measure(sets.held, seed) };
  const date = new Date().toISOString().slice(0, 10);
  const caption = `Version ${manifest.version}, ${date}, seed ${seed}, \`npm run bench:truth\`:`;
  const table = [...MARKDOWN_HEAD, ...markdownRows(measured.open, measured.held), ...speed].join('\n');
  console.log(`${caption}\n\n${table}\n`);
  for (const [set, one] of Object.entries(measured))
    console.log([...overviewOf(set, one), ...(values.verbose ? detailsOf(set, one) : [])].join('\n'));
  if (values.figures) writeFigures('truth', [caption, table]);
}
