// Plans a distilled round from its seed and number only: what the service answers, and what strikes each start.

import { TOOLS } from '../../../policies/facts/tools.ts';
import type { RequestKind } from '../../../test/rig/document-api.ts';
import type { FaultName } from '../../../test/rig/model-api/documents/faults.ts';
import { pick, type Random, randomFrom, whole } from '../../random.ts';

/** What strikes one start of the command, and when: after some milliseconds, or while the model works on its n-th request. */
export interface DistillStrike {
  /** `guardian`, `both`: the wrapper is killed, alone or with the command; without a wrapper, nothing is killed. */
  how: 'kill' | 'guardian' | 'both' | 'term' | 'pause' | 'stop' | 'second' | 'expire';
  after: { ms: number } | { ask: number; ms: number };
}

export type DistillPlan = ReturnType<typeof distillPlanOf>;

export function distillPlanOf(seed: number, n: number) {
  const random = randomFrom('distill', seed, n);
  const via = n % 5 === 0 ? pick(random, TOOLS) : null;
  return {
    n,
    /** The CLI that answers in the place of the API; null: the API. */
    via,
    sections: via === null ? whole(random, 3, 12) : whole(random, 2, 6),
    /** How long the model works on each section. */
    workMs: whole(random, 0, via === null ? 60 : 400),
    strikes: Array.from({ length: whole(random, 1, 5) }, () => (via === null ? strikeOf(random) : strikeOfCli(random))),
  };
}

function strikeOfCli(random: Random): DistillStrike {
  const how = pick(random, ['kill', 'kill', 'guardian', 'both', 'both', 'term', 'pause', 'stop', 'second'] as const);
  return { how, after: { ask: whole(random, 1, 3), ms: whole(random, 0, 700) } };
}

function strikeOf(random: Random): DistillStrike {
  const how = random() < 0.55 ? 'kill' : pick(random, ['term', 'pause', 'stop', 'second', 'expire'] as const);
  // Most strikes are at the critical moments: shortly before or after an answer arrives, is written and is booked.
  if (random() < 0.3) return { how, after: { ms: whole(random, 50, 2500) } };
  return { how, after: { ask: whole(random, 1, 4), ms: whole(random, 0, 90) } };
}

const PASSING = ['429-retry-info', '429-retry-after', '500', '503', '502-html', 'reset'] as const;
const OF_A_TURN = [
  ...(['cut', 'unfinished', 'file-400', 'file-403', 'file-404', 'empty', 'html', 'bad-key', 'too-long'] as const),
  ...(['max-tokens', 'safety', 'recitation', 'blocked', 'refusal', 'short'] as const),
  ...(['control-tokens', 'other-version'] as const),
];

/** One request of five fails, in any way that its kind allows. */
export function misfortunes(seed: number, n: number): (kind: RequestKind) => FaultName | null {
  const random = randomFrom('misfortune', seed, n);
  return (kind) => {
    if (random() >= 0.2) return null;
    return pick<FaultName>(random, kind === 'ask' ? [...PASSING, ...OF_A_TURN] : PASSING);
  };
}
