// Strikes the real commands at random moments, or sabotages their files; checks that nothing is lost, paid twice or abandoned.

// npm run torture -- --rounds N --minutes M --seed S [--real] [--lanes L] [--only ROUND] [--verbose]
//   [--sabotage | --sessions | --supervise | --distill | --limits]

import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_BY_SIGNAL } from '../policies/facts/exit-codes.ts';
import { killSurvivors } from '../test/rig/survivors.ts';
import { DISTILL } from './torture/distill/play.ts';
import { LIMITS } from './torture/limits/play.ts';
import { type Judged, type Kind, sumOf, wordsFor } from './torture/rig.ts';
import { STRIKES } from './torture/round.ts';
import { SABOTAGE } from './torture/sabotage/play.ts';
import { SESSIONS } from './torture/sessions/play.ts';
import { SUPERVISE } from './torture/supervise/play.ts';

const KINDS: Record<string, Kind> = {
  ...{ sabotage: SABOTAGE, sessions: SESSIONS, supervise: SUPERVISE, distill: DISTILL, limits: LIMITS },
};
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string' },
    only: { type: 'string' },
    ...{ real: flag, verbose: flag, sabotage: flag, sessions: flag, supervise: flag, distill: flag, limits: flag },
  },
});
const numberOf = (name: 'rounds' | 'minutes' | 'seed' | 'lanes' | 'only', least: number): number => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(`torture: --${name} takes a number of at least ${least}, not "${values[name]}"`);
  process.exit(2);
};
const [name, second] = Object.keys(KINDS).filter((one) => values[one as keyof typeof values]);
if (second !== undefined || (values.real && name !== undefined && name !== 'sessions')) {
  console.error(`torture: --${second ?? name} goes alone${second ? '' : ', with fake agents'}; leave the others out`);
  process.exit(2);
}
// The variable adds 45 to 50 ms to every process of Node 20.
delete process.env.NODE_EXTRA_CA_CERTS;
const kind = KINDS[name ?? ''] ?? STRIKES;
const agents = values.real ? 'real' : 'fake';
const seed = numberOf('seed', 0);
const until = Date.now() + numberOf('minutes', 0) * 60_000;
const numbers =
  values.only === undefined ? Array.from({ length: numberOf('rounds', 1) }, (_, i) => i + 1) : [numberOf('only', 1)];
const wanted = numbers.length;
// At most three gemini processes at once; a sabotaging agent may write large files; a round of limits has 64 processes.
const few = values.limits || (values.real && values.sessions) ? 1 : 2;
const usualLanes = values.limits || values.real || values.sabotage ? few : 4;
const lanes = values.lanes === undefined ? usualLanes : numberOf('lanes', 1);
/** The rounds are in a folder of this run; a signal finds those under way by it. */
const place = mkdtempSync(path.join(tmpdir(), 'torture-run-'));
process.env.TMPDIR = place;
const rounds: Judged[] = [];
// Before the homes of the real CLIs: their listener removes them and ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, () => leave(signal));

await Promise.all(Array.from({ length: lanes }, lane));
const isGood = rounds.length > 0 && rounds.every(({ violations }) => violations.length === 0);
process.exitCode = isGood ? 0 : 1;
console.log(wordsFor(kind, rounds, wanted));
if (readdirSync(place).length === 0) rmdirSync(place);

/** Prints what the finished rounds found, and ends those under way, which count for nothing. */
function leave(signal: 'SIGINT' | 'SIGTERM'): void {
  numbers.length = 0;
  console.log(wordsFor(kind, rounds, wanted));
  while (sumOf(readdirSync(place), (round) => killSurvivors(`TORTURE_ROUND=${round}`)) > 0);
  console.error(`torture: ended by ${signal}; what was under way, and each bad round, lies in ${place}`);
  process.exit(EXIT_BY_SIGNAL[signal]);
}

/** Plays one round after the other. */
async function lane(): Promise<void> {
  for (let n = numbers.shift(); n !== undefined && Date.now() < until; n = numbers.shift()) {
    const began = Date.now();
    const round = await kind.play(seed, n, agents);
    const isBad = round.violations.length > 0;
    rounds.push(round);
    if (values.verbose || isBad) console.error(`${n}: ${Date.now() - began} ms, ${kind.line(round)}`);
    if (isBad) console.error(`round ${n} is kept in ${round.root}: ${JSON.stringify(round.plan)}`);
    for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
  }
}
