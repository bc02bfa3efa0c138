// The command line of `npm run bench`.

import { parseArgs } from 'node:util';
import { PAGE } from './page.ts';
import { figuresOf } from './parts.ts';

const BATCH = '1000';
const PARTS = Object.entries(figuresOf(Number(BATCH)));
const NAMES = PARTS.map(([name]) => name).join(', ');
const OWN_WAY = PARTS.flatMap(([name, { rounds }]) => (rounds === null ? [name] : [])).join(', ');

export const USAGE = `bench: [NAME…] [--rounds N] [--batch N] [--json FILE] [--figures] [--help]
NAME is one of ${NAMES}; without any, all are measured.
--rounds N      how often each side is measured; without it as each part says; ${OWN_WAY} have a way of their own
--batch N       how many tasks the batch has, ${BATCH} without it
--json FILE     keeps the numbers
--figures       writes ${PAGE}, of all parts`;

/** @throws {Error} that says which flag or name is wrong */
export function readFlags(words: readonly string[]) {
  const { values, positionals: names } = parseArgs({
    args: [...words],
    options: {
      rounds: { type: 'string' },
      batch: { type: 'string', default: BATCH },
      json: { type: 'string' },
      figures: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  const unknown = names.filter((name) => !PARTS.some(([part]) => part === name));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  if (values.figures && names.length > 0) throw new Error('--figures is of all parts, so it takes no NAME');
  for (const [flag, value, least] of [
    ['--rounds', values.rounds, 1],
    ['--batch', values.batch, 10],
  ] as const)
    if (value !== undefined && !(Number.isInteger(Number(value)) && Number(value) >= least))
      throw new Error(`${flag} is a whole number from ${least}, not ${value}`);
  return { values, names };
}
