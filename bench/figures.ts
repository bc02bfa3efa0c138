// Measures every figure beside its peer in one run: `npm run bench -- [NAME…] [--rounds N] [--figures]`.

import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { table, writeFigures } from './figures/measure.ts';
import { FIGURES, readFlags, USAGE } from './figures/parts.ts';

const { values, names } = flagsOrExit();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const lines = [machine()];
console.log(`${lines[0]}\n`);
for (const [name, { about, rounds: own, measure }] of Object.entries(FIGURES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const rounds = own === null ? 1 : Number(values.rounds ?? own);
  const what = own === null ? about : `${about}; ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  // A figure that fails reports its error and does not affect the others.
  const shown = await measure(rounds).then(table, (error: Error) => {
    process.exitCode = 1;
    return `could not be measured: ${error.message.split('\n')[0]}`;
  });
  lines.push(`**${name}**: ${what}`, shown);
  console.log(`${name}: ${what}\n\n${shown}\n`);
}
if (values.figures) writeFigures('bench', lines);

function flagsOrExit() {
  try {
    return readFlags(process.argv.slice(2));
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

/** Describes the machine of the measurement. */
function machine(): string {
  const peers = ['bash', 'jq', 'chromium'].map((name) => {
    const { stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
    return `${name} ${/\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'none'}`;
  });
  const on = `${process.platform} ${release()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
  const load = `load ${loadavg()[0]!.toFixed(1)} at the start`;
  return `${new Date().toISOString().slice(0, 16)}Z, Tollgate ${manifest.version}, node ${process.version}, ${peers.join(', ')}, ${on}, ${load}; medians of rounds in turns`;
}
