// Plays rounds of sabotage one after another; reports for each bad one what was replaced, what is wrong, and where it is kept.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { tallyOf } from '../rig.ts';
import type { Done, Evidence } from './evidence.ts';
import { INVARIANTS, type SabotageViolation, violationsOf } from './invariants.ts';
import { sabotagePlanOf } from './plan.ts';
import { playSabotage } from './round.ts';
import { sabotageWorld } from './world.ts';

export async function playSabotageRound(seed: number, n: number, verbose: boolean): Promise<SabotageRound> {
  const plan = sabotagePlanOf(seed, n);
  const world = sabotageWorld(plan);
  const began = Date.now();
  const evidence = await playSabotage(plan, world);
  const violations = violationsOf(evidence, world);
  const acts = evidence.done.map((done) => actTold(done, world.project));
  if (verbose) console.error(`${n}: ${Date.now() - began} ms, ${plan.kind}: ${acts.join('; ') || 'nothing was done'}`);
  if (violations.length === 0) await world.dispose();
  else {
    console.error(
      `round ${n} (--sabotage --seed ${seed} --only ${n}), kept in ${world.root}: ${plan.kind}: ${acts.join('; ')}`,
    );
    for (const { what, why } of violations) console.error(`  ${what}: ${why}`);
    const said = evidence.commands.map(
      ({ as, command, code, signal, stdout, stderr }) =>
        `$ ${command} (${as}): ${signal ?? code}\n${stdout}\n${stderr}`,
    );
    writeFileSync(path.join(world.root, 'commands.txt'), said.join('\n\n'));
    writeFileSync(path.join(world.root, 'plan.json'), JSON.stringify(plan, null, 2));
  }
  return { evidence, violations };
}

export interface SabotageRound {
  evidence: Evidence;
  violations: SabotageViolation[];
}

function sabotageFigures(rounds: readonly SabotageRound[]): Record<string, number> {
  const { sum, found, bad } = tallyOf(rounds, rounds.length);
  return {
    rounds: rounds.length,
    bad,
    acts: sum(({ evidence }) => evidence.done.filter(({ place }) => place !== null).length),
    commands: sum(({ evidence }) => evidence.commands.length),
    calls: sum(({ evidence }) => evidence.seen.filter(({ what }) => what === 'begun').length),
    ...Object.fromEntries(Object.keys(INVARIANTS).map((name) => [name, found(name)])),
  };
}

export function sabotageTold(rounds: readonly SabotageRound[], asked: number): string {
  const { rounds: played, bad, acts, commands, calls, ...found } = sabotageFigures(rounds);
  const { cut } = tallyOf(rounds, asked);
  const counts = Object.entries(found).map(([name, count]) => `${count} ${name}`);
  return `${played} rounds${cut}, ${bad} bad: ${counts.join(', ')}\n${acts} things replaced; ${commands} commands, ${calls} calls seen by the service`;
}

/** Returns one row of a table in docs/figures.md. */
export function sabotageMarkdown(rounds: readonly SabotageRound[], seed: number): string {
  const figures = { seed, ...sabotageFigures(rounds) };
  const names = Object.keys(figures);
  return [
    `| ${names.join(' | ')} |`,
    `|${'---|'.repeat(names.length)}`,
    `| ${Object.values(figures).join(' | ')} |`,
  ].join('\n');
}

/** Describes what was replaced by what, and when. */
const actTold = ({ act, place }: Done, project: string): string =>
  `${act.target} (${place === null ? 'nothing there' : path.relative(project, place)}) by ${act.by}, ${act.caller} ${act.moment}, salt ${act.salt}`;
