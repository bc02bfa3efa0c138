// Every figure beside its peer, in one run: `npm run bench -- [NAME…] [--rounds N] [--batch N] [--json FILE] [--figures]`.

import { writeFileSync } from 'node:fs';
import { readFlags, USAGE } from './figures/flags.ts';
import { describe, machineNow } from './figures/machine.ts';
import { writeFigures } from './figures/page.ts';
import { figuresOf } from './figures/parts.ts';
import { type FigureRow, table } from './figures/row.ts';

const { values, names } = flagsOrExit();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const machine = machineNow();
const lines = [describe(machine)];
console.log(`${lines[0]}\n`);
const measured: Record<string, { rounds: number | null; rows: FigureRow[] }> = {};
for (const [name, { about, rounds: own, measure }] of Object.entries(figuresOf(Number(values.batch)))) {
  if (names.length > 0 && !names.includes(name)) continue;
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

function flagsOrExit() {
  try {
    return readFlags(process.argv.slice(2));
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}
