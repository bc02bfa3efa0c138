// What a supervised round does, made from its seed and number alone: what the reasoner says in each iteration, and when the dispatcher is killed.

import { type Random, randomFrom, whole } from '../../random.ts';

export type SuperviseSaid = 'fails' | 'garbage' | 'no_op' | 'continue' | 'save_session' | 'done';

export interface SupervisePlan {
  n: number;
  /** By iteration; past the end it is done. */
  script: SuperviseSaid[];
  /** How long an agent is at work. */
  workMs: number;
  /** Of one start after the other: milliseconds after which its dispatcher is killed. */
  killedAfterMs: number[];
}

export function supervisePlanOf(seed: number, n: number): SupervisePlan {
  const random = randomFrom('supervise', seed, n);
  return {
    n,
    script: Array.from({ length: whole(random, 2, 7) }, () => saidOf(random)),
    workMs: whole(random, 0, 60),
    killedAfterMs: Array.from({ length: whole(random, 1, 4) }, () => whole(random, 50, 2500)),
  };
}

function saidOf(random: Random): SuperviseSaid {
  const chance = random();
  if (chance < 0.3) return 'fails';
  if (chance < 0.4) return 'garbage';
  if (chance < 0.6) return 'no_op';
  return chance < 0.95 ? 'continue' : 'save_session';
}
