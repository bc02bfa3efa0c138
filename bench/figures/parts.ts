// Lists all parts of `npm run bench` by name, and parses its command line.

import { parseArgs } from 'node:util';
import { BATCH } from './batch.ts';
import { RUNS, WRAPPERS } from './calls.ts';
import { CONSOLE } from './console.ts';
import { type Figure, PAGES } from './measure.ts';
import { REPORTS } from './reports.ts';
import { STDERR } from './stderr.ts';

export const FIGURES: Record<string, Figure> = {
  wrappers: WRAPPERS,
  runs: RUNS,
  batch: BATCH,
  stderr: STDERR,
  report: REPORTS,
  console: CONSOLE,
};

export const USAGE = `bench: [NAME…] [--rounds N] [--figures] [--help]
NAME is one of ${Object.keys(FIGURES).join(', ')}; without any, all are measured.
--rounds N      how often each side is measured; without it as each part says
--figures       writes ${PAGES.bench}, of all parts`;

/** @throws {Error} that names the wrong flag or name */
export function readFlags(words: readonly string[]) {
  const { values, positionals: names } = parseArgs({
    args: [...words],
    options: {
      rounds: { type: 'string' },
      figures: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  const unknown = names.filter((name) => !(name in FIGURES));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  if (values.figures && names.length > 0) throw new Error('--figures is of all parts, so it takes no NAME');
  const { rounds } = values;
  if (rounds !== undefined && !(Number.isInteger(Number(rounds)) && Number(rounds) >= 1))
    throw new Error(`--rounds is a whole number from 1, not ${rounds}`);
  return { values, names };
}
