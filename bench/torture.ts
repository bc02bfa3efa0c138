// Strikes the real commands at random moments, or sabotages their files; checks that nothing is lost, paid twice or abandoned.

// npm run torture -- --rounds N --minutes M --seed S [--real] [--lanes L] [--only ROUND] [--markdown]
//   [--sabotage | --sessions | --supervise | --distill | --limits]

import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_BY_SIGNAL } from '../policies/facts/exit-codes.ts';
import { killSurvivors } from '../test/rig/survivors.ts';
import { randomFrom, whole } from './random.ts';
import { distillTold, playDistillRound } from './torture/distill/play.ts';
import { limitsTold, playLimitsRound } from './torture/limits/play.ts';
import { planOf } from './torture/plan.ts';
import { realWorld } from './torture/real-world.ts';
import { figuresOf, markdown, told } from './torture/report.ts';
import type { Judged } from './torture/rig.ts';
import { playRound, type Round } from './torture/round.ts';
import { playSabotageRound, sabotageMarkdown, sabotageTold } from './torture/sabotage/play.ts';
import { playSessionRound, sessionsTold } from './torture/sessions/play.ts';
import { playSuperviseRound, superviseTold } from './torture/supervise/play.ts';
import { fakeWorld } from './torture/world.ts';

const KINDS = ['sabotage', 'sessions', 'supervise', 'distill', 'limits'] as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string' },
    only: { type: 'string' },
    ...{ real: flag, markdown: flag, verbose: flag },
    ...{ sabotage: flag, sessions: flag, supervise: flag, distill: flag, limits: flag },
  },
});
const numberOf = (name: 'rounds' | 'minutes' | 'seed' | 'lanes' | 'only', least: number): number => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(`torture: --${name} takes a number of at least ${least}, not "${values[name]}"`);
  process.exit(2);
};
const [kind, second] = KINDS.filter((one) => values[one]);
if (second !== undefined || (values.real && kind !== undefined && kind !== 'sessions')) {
  console.error(`torture: --${second ?? kind} is done alone${second ? '' : ', by fake agents'}; leave the others out`);
  process.exit(2);
}
// The variable adds 45 to 50 ms to every process of Node 20.
delete process.env.NODE_EXTRA_CA_CERTS;
const agents = values.real ? 'real' : 'fake';
const seed = numberOf('seed', 0);
const until = Date.now() + numberOf('minutes', 0) * 60_000;
const numbers =
  values.only === undefined ? Array.from({ length: numberOf('rounds', 1) }, (_, i) => i + 1) : [numberOf('only', 1)];
// At most three gemini processes at once. Sabotage may create large files. A round of limits has 64 processes.
const fewLanes = values.real && values.sessions ? 1 : 2;
const usualLanes = values.limits ? 1 : values.real || values.sabotage ? fewLanes : 4;
const lanes = values.lanes === undefined ? usualLanes : numberOf('lanes', 1);
const asked = numbers.length;
/** The folder of this run; its rounds are in it, which makes the running ones findable. */
const place = mkdtempSync(path.join(tmpdir(), 'torture-run-'));
process.env.TMPDIR = place;
/** Reports what the finished rounds found. */
let toldSoFar = () => 'no round is over';
// Registered before the handlers of the real CLIs' homes, since a signal removes the homes and ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, () => leave(signal));

/** Each plays all rounds. */
const PLAYS: Record<(typeof KINDS)[number] | 'strike', () => Promise<number>> = {
  strike: () =>
    inLanes(
      struckRound,
      (rounds) => (values.markdown ? markdown : told)(figuresOf(rounds, { asked, seed, agents })),
      ({ ms, plan, struck }) => `${ms.toFixed(0)} ms, ${plan.kind}, ${struck.join(', ')}`,
    ),
  sabotage: () =>
    inLanes(
      (n) => playSabotageRound(seed, n, values.verbose),
      (rounds) => (values.markdown ? sabotageMarkdown(rounds, seed) : sabotageTold(rounds, asked)),
    ),
  sessions: () =>
    inLanes(
      (n) => playSessionRound(seed, n, agents),
      (rounds) => sessionsTold(rounds, asked, agents),
      ({ plan, calls, done }) => `${plan.tool}, ${calls} calls, ${done} done: ${plan.behaviours.join(' ')}`,
    ),
  supervise: () =>
    inLanes(
      (n) => playSuperviseRound(seed, n),
      (rounds) => superviseTold(rounds, asked),
      ({ plan, calls, struck }) => `${calls.length} calls, ${struck.join(', ')}: ${plan.script.join(' ')}`,
    ),
  distill: () =>
    inLanes(
      (n) => playDistillRound(seed, n),
      (rounds) => distillTold(rounds, asked),
      ({ asked, starts, killed }) => `${asked} turns, ${starts} starts, ${killed} killed`,
    ),
  limits: () =>
    inLanes(
      (n) => playLimitsRound(seed, n),
      (rounds) => limitsTold(rounds, asked),
      ({ plan, paid, askers, killed, lost, atOnce }) =>
        `${plan.kind}, ${paid} calls of ${askers}, ${atOnce} at once, ${killed} killed, ${lost} lost`,
    ),
};
process.exitCode = (await PLAYS[kind ?? 'strike']()) > 0 ? 1 : 0;
console.log(toldSoFar());
if (readdirSync(place).length === 0) rmdirSync(place);

/** After a signal, prints what the finished rounds found. The running rounds are ended and do not count. */
function leave(signal: 'SIGINT' | 'SIGTERM'): void {
  numbers.length = 0;
  console.log(toldSoFar());
  for (let left = 1; left > 0; )
    left = readdirSync(place)
      .map((name) => killSurvivors(`TORTURE_ROUND=${name}`))
      .reduce((all, ended) => all + ended, 0);
  console.error(`torture: ended by ${signal}; what was under way, and each bad round, lies in ${place}`);
  process.exit(EXIT_BY_SIGNAL[signal]);
}

/**
 * @param lineOf for `--verbose`; without it the round prints its own messages.
 * @returns the number of bad rounds; 1 if none was played.
 */
async function inLanes<R extends Judged & { root?: string; plan?: object }>(
  play: (n: number) => Promise<R>,
  toldOf: (rounds: R[]) => string,
  lineOf?: (round: R) => string,
): Promise<number> {
  const rounds: R[] = [];
  toldSoFar = () => toldOf(rounds);
  const lane = async () => {
    for (let n = numbers.shift(); n !== undefined && Date.now() < until; n = numbers.shift()) {
      const round = await play(n);
      rounds.push(round);
      if (lineOf === undefined) continue;
      if (values.verbose) console.error(`${n}: ${lineOf(round)}`);
      if (round.violations.length > 0)
        console.error(`round ${n}, kept in ${round.root}: ${JSON.stringify(round.plan)}`);
      for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function struckRound(n: number): Promise<Round & { root: string }> {
  const world = agents === 'real' ? await realWorld(whole(randomFrom('model', seed, n), 0, 1500)) : fakeWorld(n);
  const round = await playRound(planOf(seed, n, agents), world, agents);
  if (round.violations.length === 0) await world.dispose();
  return { ...round, root: world.root };
}
