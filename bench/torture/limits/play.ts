// Plays a limited round: 64 processes request a call at once, some are killed, until the limit is used; then one more requests.

import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import { type Ended, type Started, start } from '../command.ts';
import { kill, tallyOf } from '../rig.ts';
import { checkAtOnce, checkBudget, checkLoosened, type LimitsViolation, mostAtOnce } from './invariants.ts';
import { type LimitsPlan, limitsPlanOf, type Wave, waveOf } from './plan.ts';
import { type LimitsWorld, limitsWorld } from './world.ts';

export interface LimitsRound {
  plan: LimitsPlan;
  /** The number of processes that requested a call. */
  askers: number;
  /** The number of calls that agents saw. */
  paid: number;
  /** The highest number of them at the same time. */
  atOnce: number;
  /** How often an agent was refused that tried to loosen the limits. */
  refused: number;
  killed: number;
  /** Granted calls that were never made, since the process that was granted them was killed. */
  lost: number;
  violations: LimitsViolation[];
  root: string;
}

/** 64 processes that each request once use 100 calls in two waves, unless nearly all are killed. */
const MAX_WAVES = 8;
const LIMIT_MS = 240_000;

export async function playLimitsRound(
  seed: number,
  n: number,
  plan: LimitsPlan = limitsPlanOf(seed, n),
): Promise<LimitsRound> {
  const world = limitsWorld(plan);
  const { root } = world;
  const limits = world.limits();
  const round =
    plan.kind === 'at_once' ? await atOnce(world, plan) : await usedUp(world, plan, (wave) => waveOf(seed, plan, wave));
  const violations = [...round.violations];
  for (const { pid, command } of findSurvivors(world.marker))
    violations.push({ what: 'running', why: `${pid} ${command.slice(0, 120)}` });
  await endSurvivors(world.marker);
  const seen = world.seen();
  violations.push(...checkLoosened(seen, limits, world.limits()));
  const paid = seen.filter(({ what }) => what === 'begun').length;
  const refused = seen.filter(({ what }) => what === 'refused').length;
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  return { plan, root, paid, refused, atOnce: mostAtOnce(seen), ...round, violations };
}

type Played = Pick<LimitsRound, 'askers' | 'killed' | 'lost' | 'violations'>;

async function atOnce(world: LimitsWorld, plan: LimitsPlan & { kind: 'at_once' }): Promise<Played> {
  const { askers } = plan;
  const ends = await Promise.all(Array.from({ length: askers }, (_, i) => byHand(world, `a${i}`).ended));
  const violations = [...ends.flatMap(unwell), ...checkAtOnce(world.seen(), plan.most, askers)];
  if (world.open() > 0) violations.push({ what: 'books', why: `${world.open()} calls count as under way` });
  return { askers, killed: 0, lost: 0, violations };
}

async function usedUp(
  world: LimitsWorld,
  { most, before }: LimitsPlan & { kind: 'budget' },
  wave: (n: number) => Wave,
): Promise<Played> {
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
    return start('tollgate', ['run', own, '--json', '--trust-workspace'], world.project, world.env, LIMIT_MS);
  });
  const hits = strikes.map(async ({ asker, at, afterMs }) => {
    const running = started[asker]!;
    await Promise.race([pause(afterMs), running.ended]);
    while (!running.over()) {
      const hit = (await running.find(at)).filter((pid) => kill(pid)).length;
      if (hit > 0) return hit;
      await pause(AGAIN_MS);
    }
    return 0;
  });
  const ends = await Promise.all(started.map(({ ended }) => ended));
  const killed = (await Promise.all(hits)).reduce((all, one) => all + one, 0);
  return { ends, killed };
}

/** An agent works only for a moment. */
const AGAIN_MS = 100;

const byHand = ({ project, env }: LimitsWorld, name: string, more: readonly string[] = []): Started => {
  const files = ['--prompt-file', 'ask.md', '--out', `out/${name}.out`, '--err', `out/${name}.err`];
  return start('run_codex', [...files, '--trust-workspace', ...more], project, env, LIMIT_MS);
};

/** A guardian outlives its killed run, and an agent its guardian; both end after a moment. */
async function settled({ marker }: LimitsWorld): Promise<void> {
  for (let i = 0; i < 400 && findSurvivors(marker).length > 0; i += 1) await pause(50);
}

/** A command that was not killed ends in time and without a stack trace. */
const unwell = ({ command, stderr, signal }: Ended): LimitsViolation[] =>
  stderr.includes('bug of tollgate') || stderr.includes('TORTURE: still ran')
    ? [{ what: 'unwell', why: `${command} (${signal}): ${stderr.slice(-600)}` }]
    : [];

/** Reports the result of limited rounds in words. */
export function limitsTold(rounds: readonly LimitsRound[], asked: number): string {
  const { sum, found, cut, bad } = tallyOf(rounds, asked);
  const budget = rounds.filter(({ plan }) => plan.kind === 'budget');
  const atOnce = rounds.filter(({ plan }) => plan.kind === 'at_once');
  const whole = budget.filter(({ plan }) => plan.kind === 'budget' && plan.before === 0).length;
  const most = Math.max(0, ...atOnce.map((round) => round.atOnce));
  return [
    `${rounds.length} limited rounds${cut}, ${bad} bad: ${found('over')} past a limit, ${found('loosened')} limits loosened by agents (${sum(({ refused }) => refused)} tries refused), ${found('crowded')} with too many at once, ${found('twice')} calls twice, ${found('books', 'unspent')} whose books are wrong, ${found('running')} left running, ${found('unwell')} unwell`,
    `${budget.length} rounds of 100 calls a day (${whole} from its first call): ${sum(({ askers }) => askers, budget)} processes asked, 64 at once, ${sum(({ paid }) => paid, budget)} calls were paid, ${sum(({ killed }) => killed, budget)} processes killed, with ${sum(({ lost }) => lost, budget)} calls granted and not made`,
    `${atOnce.length} rounds of 3 at once: ${sum(({ paid }) => paid, atOnce)} calls of 64 processes each, ${most} at once at the most`,
  ].join('\n');
}
