// Every figure beside its peer, in one run: `npm run bench -- [NAME…] [--rounds N] [--batch N] [--json FILE] [--figures]`.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describe, machineNow } from './figures/machine.ts';
import { PAGE, writeFigures } from './figures/page.ts';
import { figuresOf } from './figures/parts.ts';
import { type FigureRow, table } from './figures/row.ts';

const BATCH = '1000';
const PARTS = Object.entries(figuresOf(Number(BATCH)));
const NAMES = PARTS.map(([name]) => name).join(', ');
const OWN_WAY = PARTS.flatMap(([name, { rounds }]) => (rounds === null ? [name] : [])).join(', ');
const USAGE = `bench: [NAME…] [--rounds N] [--batch N] [--json FILE] [--figures] [--help]
NAME is one of ${NAMES}; without any, all are measured.
--rounds N      how often each side is measured; without it as each part says; ${OWN_WAY} have a way of their own
--batch N       how many tasks the batch has, ${BATCH} without it
--json FILE     keeps the numbers
--figures       writes ${PAGE}, of all parts`;

const { values, positionals } = readFlags();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const unknown = positionals.filter((name) => !PARTS.some(([part]) => part === name));
if (unknown.length > 0) refuse(`there is no part ${unknown.join(', ')}`);
if (values.figures && positionals.length > 0) refuse('--figures is of all parts, so it takes no NAME');
for (const [flag, value, least] of [
  ['--rounds', values.rounds, 1],
  ['--batch', values.batch, 10],
] as const)
  if (value !== undefined && !(Number.isInteger(Number(value)) && Number(value) >= least))
    refuse(`${flag} is a whole number from ${least}, not ${value}`);

const machine = machineNow();
const lines = [describe(machine)];
console.log(`${lines[0]}\n`);
const measured: Record<string, { rounds: number | null; rows: FigureRow[] }> = {};
for (const [name, { about, rounds: own, measure }] of Object.entries(figuresOf(Number(values.batch)))) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const rounds = own === null ? null : Number(values.rounds ?? own);
  const what = rounds === null ? about : `${about}; ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  // One that fails says so, and takes nothing of the others away.
  const failure = await measure(rounds ?? 1).then(
    (rows) => {
      measured[name] = { rounds, rows };
      return null;
    },
    (error: Error) => error.message.split('\n')[0]!,
  );
  const shown = failure === null ? table(measured[name]!.rows) : `could not be measured: ${failure}`;
  if (failure !== null) process.exitCode = 1;
  lines.push(`**${name}**: ${what}`, shown);
  console.log(`${name}: ${what}\n\n${shown}\n`);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, measured }, null, 2)}\n`);
if (values.figures) writeFigures('bench', lines);

function readFlags() {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string' },
        batch: { type: 'string', default: BATCH },
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
