// The sabotage: plays one round, and keeps what its commands said if it is bad.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Kind, sumOf } from '../rig.ts';
import type { Done, Evidence } from './evidence.ts';
import { INVARIANTS, type SabotageViolation, violationsOf } from './invariants.ts';
import { type SabotagePlan, sabotagePlanOf } from './plan.ts';
import { playSabotage } from './round.ts';
import { sabotageWorld } from './world.ts';

export interface SabotageRound {
  plan: SabotagePlan;
  evidence: Evidence;
  /** Describes what was replaced by what, and when. */
  acts: string[];
  violations: SabotageViolation[];
  root: string;
}

export const SABOTAGE: Kind<SabotageRound> = {
  title: 'rounds of sabotage',
  wrong: Object.fromEntries(Object.keys(INVARIANTS).map((name) => [name, name])),
  play: playSabotageRound,
  line: ({ plan, acts }) => `${plan.kind}: ${acts.join('; ') || 'nothing was done'}`,
  more(rounds) {
    const replaced = sumOf(rounds, ({ evidence }) => evidence.done.filter(({ place }) => place !== null).length);
    const commands = sumOf(rounds, ({ evidence }) => evidence.commands.length);
    const calls = sumOf(rounds, ({ evidence }) => evidence.seen.filter(({ what }) => what === 'begun').length);
    return [`${replaced} things replaced; ${commands} commands, ${calls} calls seen by the service`];
  },
};

export async function playSabotageRound(seed: number, n: number): Promise<SabotageRound> {
  const plan = sabotagePlanOf(seed, n);
  const world = sabotageWorld(plan);
  const { root, project } = world;
  const evidence = await playSabotage(plan, world);
  const violations = violationsOf(evidence, world);
  await world.close(violations.length === 0 ? 'removed' : 'kept');
  if (violations.length > 0) {
    const said = evidence.commands.map(
      ({ as, command, code, signal, stdout, stderr }) =>
        `$ ${command} (${as}): ${signal ?? code}\n${stdout}\n${stderr}`,
    );
    writeFileSync(path.join(root, 'commands.txt'), said.join('\n\n'));
  }
  return { plan, evidence, acts: evidence.done.map((done) => actShown(done, project)), violations, root };
}

const actShown = ({ act, place }: Done, project: string): string =>
  `${act.target} (${place === null ? 'nothing there' : path.relative(project, place)}) by ${act.by}, ${act.caller} ${act.moment}, salt ${act.salt}`;
