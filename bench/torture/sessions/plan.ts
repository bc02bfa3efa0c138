// Plans a round with sessions from its seed and number only: tasks of a feature in two folders, their calls, and the strikes.

import { TOOLS } from '../../../policies/facts/tools.ts';
import { pick, type Random, randomFrom, whole } from '../../random.ts';

export type SessionBehaviour =
  | 'done'
  /** Its tool has run, and the service refuses the history. */
  | 'refused'
  /** The history is refused before anything is done. */
  | 'refused_first'
  /** Its tool has run, and the service is overloaded. */
  | 'busy'
  /** Its tool has run, and the agent is killed. */
  | 'dies';

const FOLDERS = ['.', 'inner'] as const;

export interface SessionTask {
  id: string;
  cwd: (typeof FOLDERS)[number];
  /** The dispatcher is killed so many ms after its first call began, and then run again; null: it is not killed. */
  killedAfterMs: number | null;
}

export type SessionPlan = ReturnType<typeof sessionPlanOf>;

export function sessionPlanOf(seed: number, n: number) {
  const random = randomFrom('sessions', seed, n);
  return {
    n,
    tool: pick(random, TOOLS),
    tasks: Array.from(
      { length: whole(random, 2, 4) },
      (_, i): SessionTask => ({
        id: `t${'abcd'[i]}`,
        cwd: pick(random, FOLDERS),
        killedAfterMs: random() < 0.3 ? whole(random, 0, 300) : null,
      }),
    ),
    /** Of the round's calls in order; after the end each call answers. */
    behaviours: Array.from({ length: whole(random, 1, 6) }, () => behaviourOf(random)),
  };
}

function behaviourOf(random: Random): SessionBehaviour {
  const chance = random();
  if (chance < 0.45) return 'done';
  if (chance < 0.75) return 'refused';
  if (chance < 0.87) return 'refused_first';
  return chance < 0.94 ? 'dies' : 'busy';
}
