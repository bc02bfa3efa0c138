// Strikes the real commands at random moments, or sabotages their files from within their calls, and looks whether anything was lost, paid
// twice or left behind: `npm run torture -- --rounds N --minutes M --seed S [--real] [--sabotage | --sessions | --supervise | --distill | --limits] [--lanes L] [--only ROUND] [--markdown]`.

import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_BY_SIGNAL } from '../policies/facts/exit-codes.ts';
import { killSurvivors } from '../test/rig/survivors.ts';
import { randomFrom, whole } from './random.ts';
import { type DistillRound, playDistillRound } from './torture/distill/play.ts';
import { distillTold } from './torture/distill/report.ts';
import { type LimitsRound, playLimitsRound } from './torture/limits/play.ts';
import { limitsTold } from './torture/limits/report.ts';
import { planOf } from './torture/plan.ts';
import { realWorld } from './torture/real-world.ts';
import { figuresOf, markdown, told } from './torture/report.ts';
import { playRound, type Round } from './torture/round.ts';
import { playSabotageRound } from './torture/sabotage/play.ts';
import { type SabotageRound, sabotageMarkdown, sabotageTold } from './torture/sabotage/report.ts';
import { playSessionRound, type SessionRound } from './torture/sessions/play.ts';
import { sessionsTold } from './torture/sessions/report.ts';
import { playSuperviseRound, type SuperviseRound } from './torture/supervise/play.ts';
import { superviseTold } from './torture/supervise/report.ts';
import { fakeWorld, type World } from './torture/world.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string' },
    only: { type: 'string' },
    real: { type: 'boolean', default: false },
    sabotage: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
    supervise: { type: 'boolean', default: false },
    distill: { type: 'boolean', default: false },
    limits: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const numberOf = (name: 'rounds' | 'minutes' | 'seed' | 'lanes' | 'only', least: number): number => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(`torture: --${name} takes a number of at least ${least}, not "${values[name]}"`);
  process.exit(2);
};
if (values.sabotage && (values.real || values.sessions)) {
  console.error('torture: --sabotage is done alone, by fake agents; leave the others out');
  process.exit(2);
}
if (values.supervise && (values.real || values.sessions || values.sabotage)) {
  console.error('torture: --supervise is done alone, by fake agents; leave the others out');
  process.exit(2);
}
if (values.distill && (values.real || values.sessions || values.sabotage || values.supervise)) {
  console.error('torture: --distill is done alone, against a service on the loopback; leave the others out');
  process.exit(2);
}
if (values.limits && (values.real || values.sessions || values.sabotage || values.supervise || values.distill)) {
  console.error('torture: --limits is done alone, by fake agents; leave the others out');
  process.exit(2);
}
// It adds 45 to 50 ms to every process of Node 20.
delete process.env.NODE_EXTRA_CA_CERTS;
const agents = values.real ? 'real' : 'fake';
const seed = numberOf('seed', 0);
const until = Date.now() + numberOf('minutes', 0) * 60_000;
const numbers =
  values.only === undefined ? Array.from({ length: numberOf('rounds', 1) }, (_, i) => i + 1) : [numberOf('only', 1)];
// At most three gemini processes at once; what sabotages may put large files in the way.
const fewLanes = values.real && values.sessions ? 1 : 2;
/** Its rounds are of 64 processes each. */
const usualLanes = values.limits ? 1 : values.real || values.sabotage ? fewLanes : 4;
const lanes = values.lanes === undefined ? usualLanes : numberOf('lanes', 1);
const asked = numbers.length;
/** Its rounds lie in a folder of this run, by which those under way are found. */
const place = mkdtempSync(path.join(tmpdir(), 'torture-run-'));
process.env.TMPDIR = place;
/** What the rounds found that are over. */
let toldSoFar = () => 'no round is over';
// Before the homes of the real CLIs, which a signal removes and ends us with.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, () => leave(signal));
const named = { limits, distill, supervise, sabotage, sessions };
const name = (Object.keys(named) as (keyof typeof named)[]).find((one) => values[one]);
const play = name === undefined ? strike : named[name];
process.exitCode = (await play()) > 0 ? 1 : 0;
console.log(toldSoFar());
if (readdirSync(place).length === 0) rmdirSync(place);

/** Whoever waits no longer is told what the rounds found that are over; those under way are ended, and count for nothing. */
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

/** @returns how many rounds were bad; one where none was played. */
async function strike(): Promise<number> {
  const rounds: Round[] = [];
  const figures = () => figuresOf(rounds, { asked, seed, agents });
  toldSoFar = () => (values.markdown ? markdown(figures()) : told(figures()));
  await inLanes(async (n) => {
    rounds.push(await struckRound(n));
  });
  return rounds.length === 0 ? 1 : figures().bad;
}

async function sabotage(): Promise<number> {
  const rounds: SabotageRound[] = [];
  toldSoFar = () => (values.markdown ? sabotageMarkdown(rounds, seed) : sabotageTold(rounds, asked));
  await inLanes(async (n) => {
    rounds.push(await playSabotageRound(seed, n, values.verbose));
  });
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function sessions(): Promise<number> {
  const rounds: SessionRound[] = [];
  toldSoFar = () => sessionsTold(rounds, asked, agents);
  await inLanes(async (n) => {
    const round = await playSessionRound(seed, n, agents);
    rounds.push(round);
    if (values.verbose)
      console.error(
        `${n}: ${round.plan.tool}, ${round.calls} calls, ${round.done} done: ${round.plan.behaviours.join(' ')}`,
      );
    if (round.violations.length > 0) console.error(`round ${n}, kept in ${round.root}: ${JSON.stringify(round.plan)}`);
    for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
  });
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function supervise(): Promise<number> {
  const rounds: SuperviseRound[] = [];
  toldSoFar = () => superviseTold(rounds, asked);
  await inLanes(async (n) => {
    const round = await playSuperviseRound(seed, n);
    rounds.push(round);
    if (values.verbose)
      console.error(`${n}: ${round.calls.length} calls, ${round.struck.join(', ')}: ${round.plan.script.join(' ')}`);
    if (round.violations.length > 0) console.error(`round ${n}, kept in ${round.root}: ${JSON.stringify(round.plan)}`);
    for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
  });
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function distill(): Promise<number> {
  const rounds: DistillRound[] = [];
  toldSoFar = () => distillTold(rounds, asked);
  await inLanes(async (n) => {
    const round = await playDistillRound(seed, n);
    rounds.push(round);
    if (values.verbose) console.error(`${n}: ${round.asked} turns, ${round.starts} starts, ${round.killed} killed`);
    if (round.violations.length > 0) console.error(`round ${n}, kept in ${round.root}: ${JSON.stringify(round.plan)}`);
    for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
  });
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function limits(): Promise<number> {
  const rounds: LimitsRound[] = [];
  toldSoFar = () => limitsTold(rounds, asked);
  await inLanes(async (n) => {
    const round = await playLimitsRound(seed, n);
    rounds.push(round);
    const { plan, paid, askers, killed, lost, atOnce, violations, root } = round;
    if (values.verbose)
      console.error(
        `${n}: ${plan.kind}, ${paid} calls of ${askers}, ${atOnce} at once, ${killed} killed, ${lost} lost`,
      );
    if (violations.length > 0) console.error(`round ${n}, kept in ${root}: ${JSON.stringify(plan)}`);
    for (const { what, why } of violations) console.error(`  ${what}: ${why}`);
  });
  return rounds.length === 0 ? 1 : rounds.filter(({ violations }) => violations.length > 0).length;
}

async function inLanes(play: (n: number) => Promise<void>): Promise<void> {
  const lane = async () => {
    for (let n = numbers.shift(); n !== undefined && Date.now() < until; n = numbers.shift()) await play(n);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function struckRound(n: number): Promise<Round> {
  const plan = planOf(seed, n, agents);
  const world = await worldOf(n);
  const round = await playRound(plan, world, agents);
  if (values.verbose) console.error(`${n}: ${round.ms.toFixed(0)} ms, ${plan.kind}, ${round.struck.join(', ')}`);
  if (round.violations.length === 0) await world.dispose();
  else {
    console.error(`round ${n}, kept in ${world.root}: ${JSON.stringify(plan)}`);
    for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
  }
  return round;
}

async function worldOf(n: number): Promise<World> {
  return agents === 'real' ? realWorld(whole(randomFrom('model', seed, n), 0, 1500)) : fakeWorld(n);
}
