// Plays one limited round: 64 processes request a call at once, some are killed, until the limit is used up; then one more requests.

import { setTimeout as pause } from 'node:timers/promises';
import { findSurvivors } from '../../../test/rig/survivors.ts';
import { type Ended, endShown, hasBug, type Started, start, strike } from '../command.ts';
import { kindOf, sumOf } from '../rig.ts';
import { checkAtOnce, checkBudget, checkLoosened, type LimitsViolation, mostAtOnce, WRONG } from './invariants.ts';
import { type LimitsPlan, limitsPlanOf, type Wave, waveOf } from './plan.ts';
import { type LimitsWorld, limitsWorld } from './world.ts';

export const LIMITS = kindOf({
  title: 'limited rounds',
  wrong: WRONG,
  play: (seed, n) => playLimitsRound(seed, n),
  line: ({ plan, paid, askers, killed, lost, atOnce }) =>
    `${plan.kind}, ${paid} calls of ${askers}, ${atOnce} at once, ${killed} killed, ${lost} lost`,
  more(rounds) {
    const budget = rounds.filter(({ plan }) => plan.kind === 'budget');
    const atOnce = rounds.filter(({ plan }) => plan.kind === 'at_once');
    const whole = budget.filter(({ plan }) => plan.kind === 'budget' && plan.before === 0).length;
    const sum = (name: 'askers' | 'paid' | 'killed' | 'lost') => sumOf(budget, (round) => round[name]);
    return [
      `${sumOf(rounds, ({ refused }) => refused)} tries of agents to loosen the limits were refused`,
      `${budget.length} rounds of 100 calls a day (${whole} from its first call): ${sum('askers')} processes asked, 64 at once, ${sum('paid')} calls were paid, ${sum('killed')} processes killed, with ${sum('lost')} calls granted and not made`,
      `${atOnce.length} rounds of 3 at once: ${sumOf(atOnce, ({ paid }) => paid)} calls of 64 processes each, ${Math.max(0, ...atOnce.map((round) => round.atOnce))} at once at the most`,
    ];
  },
});

/** 64 processes that each request once use 100 calls in two waves, unless nearly all are killed. */
const MAX_WAVES = 8;
const LIMIT_MS = 240_000;

export async function playLimitsRound(seed: number, n: number, plan: LimitsPlan = limitsPlanOf(seed, n)) {
  const world = limitsWorld(plan);
  const limits = world.limits();
  const round =
    plan.kind === 'at_once' ? await atOnce(world, plan) : await usedUp(world, plan, (wave) => waveOf(seed, plan, wave));
  const running = world.survivors().map((why) => ({ what: 'running', why }) as const);
  const seen = world.seen();
  const violations = [...round.violations, ...running, ...checkLoosened(seen, limits, world.limits())];
  await world.close(violations.length === 0 ? 'removed' : 'kept');
  const paid = seen.filter(({ what }) => what === 'begun').length;
  const refused = seen.filter(({ what }) => what === 'refused').length;
  return { plan, root: world.root, paid, refused, atOnce: mostAtOnce(seen), ...round, violations };
}

async function atOnce(world: LimitsWorld, plan: LimitsPlan & { kind: 'at_once' }) {
  const { askers } = plan;
  const ends = await Promise.all(Array.from({ length: askers }, (_, i) => byHand(world, `a${i}`).ended));
  const violations: LimitsViolation[] = [...ends.flatMap(unwell), ...checkAtOnce(world.seen(), plan.most, askers)];
  if (world.open() > 0) violations.push({ what: 'books', why: `${world.open()} calls count as under way` });
  return { askers, killed: 0, lost: 0, violations };
}

async function usedUp(
  world: LimitsWorld,
  { most, before }: LimitsPlan & { kind: 'budget' },
  wave: (n: number) => Wave,
) {
  const violations: LimitsViolation[] = [];
  let [askers, killed] = [0, 0];
  for (let i = 0; i < MAX_WAVES && (i === 0 || world.booked() < most); i += 1) {
    const played = await playWave(world, wave(i), `w${i}`);
    askers += played.ends.length;
    killed += played.killed;
    violations.push(...played.ends.flatMap(unwell));
  }
  await settled(world);
  const seen = world.seen();
  const last = await byHand(world, 'last').ended;
  askers += 1;
  if (!last.stderr.includes('a limit over all tasks is used up') || world.seen().length > seen.length)
    violations.push({ what: 'over', why: `the call after the last one: ${last.code} ${last.stderr.slice(-600)}` });
  const booked = world.booked();
  violations.push(...checkBudget({ seen, most, before, booked, killed }));
  const paid = seen.filter(({ what }) => what === 'begun').length;
  // Lost: granted, and never made, since their process had been killed.
  return { askers, killed, lost: booked - before - paid, violations };
}

async function playWave(world: LimitsWorld, { askers, strikes }: Wave, name: string) {
  const shared = `${name}-shared`;
  world.task(shared);
  const started = askers.map((asker, i): Started => {
    const own = `${name}-${i}`;
    if (asker === 'hand') return byHand(world, own);
    if (asker === 'charged') return byHand(world, own, ['--task', `.tmp/task/${shared}`]);
    world.task(own);
    return start(['tollgate', 'run', own, '--json', '--trust-workspace'], world, LIMIT_MS);
  });
  const hits = strikes.map(({ asker, ...one }) => strike(started[asker]!, one, AGAIN_MS));
  const ends = await Promise.all(started.map(({ ended }) => ended));
  return { ends, killed: sumOf(await Promise.all(hits), (hit) => hit) };
}

/** An agent works only for a moment. */
const AGAIN_MS = 100;

const byHand = (world: LimitsWorld, name: string, more: readonly string[] = []): Started => {
  const files = ['--prompt-file', 'ask.md', '--out', `out/${name}.out`, '--err', `out/${name}.err`];
  return start(['run_codex', ...files, '--trust-workspace', ...more], world, LIMIT_MS);
};

/** A guardian outlives its killed run, and an agent its guardian: they end in a moment. */
async function settled({ marker }: LimitsWorld): Promise<void> {
  for (let i = 0; i < 400 && findSurvivors(marker).length > 0; i += 1) await pause(50);
}

/** Killed or not, a command ends without a stack, and in time. */
const unwell = (one: Ended): LimitsViolation[] =>
  hasBug(one.stderr) || one.hung ? [{ what: 'unwell', why: endShown(one) }] : [];
