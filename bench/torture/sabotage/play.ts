// Plays rounds of sabotage one after another, and says of each bad one what was replaced, what is wrong, and where it is kept.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { violationsOf } from './invariants.ts';
import { sabotagePlanOf } from './plan.ts';
import { actTold, type SabotageRound } from './report.ts';
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
