// Plans a limited round from its seed and number only: which processes request how much at once, and which are killed when.

import { pick, type Random, randomFrom, whole } from '../../random.ts';
import type { Target } from '../plan.ts';

/** What requests a call: a wrapper by hand, one that charges a task too, or a run of a task with stages. */
export type Asker = 'hand' | 'charged' | 'run';

interface LimitsStrike {
  /** The number of the asker within its wave. */
  asker: number;
  at: Target;
  afterMs: number;
}

export interface Wave {
  askers: Asker[];
  strikes: LimitsStrike[];
}

export type LimitsPlan = {
  n: number;
  /** How long an agent works. */
  workMs: number;
  /** How many request a call at once. */
  askers: number;
} & (
  | {
      kind: 'budget';
      /** Calls a day; and how many of them were made earlier that day. */
      most: number;
      before: number;
    }
  /** No process is killed: a killed agent would not report its end. */
  | { kind: 'at_once'; most: number }
);

const CALLS_A_DAY = 100;
const AT_ONCE = 3;
const ASKERS = 64;

/** One in `every` rounds limits the calls at once. */
const EVERY = 8;

export function limitsPlanOf(seed: number, n: number): LimitsPlan {
  const random = randomFrom('limits', seed, n);
  const workMs = whole(random, 0, 40);
  if (n % EVERY === 0) return { n, workMs, askers: ASKERS, kind: 'at_once', most: AT_ONCE };
  // Each wrapper costs a tenth of a second of processor time: most rounds begin with a nearly used budget.
  const before = n % EVERY === 1 ? 0 : whole(random, 60, 95);
  return { n, workMs, askers: ASKERS, kind: 'budget', most: CALLS_A_DAY, before };
}

export function waveOf(seed: number, { n, askers: count }: LimitsPlan, wave: number): Wave {
  const random = randomFrom('wave', seed, n, wave);
  const askers = Array.from({ length: count }, () => pick(random, ASKING));
  const strikes = Array.from({ length: whole(random, count / 8, count / 3) }, () => strikeOf(random, count));
  return { askers, strikes };
}

const strikeOf = (random: Random, askers: number): LimitsStrike => ({
  asker: whole(random, 0, askers - 1),
  at: pick(random, ['dispatcher', 'guardian', 'agent', 'both', 'everything'] as const),
  afterMs: whole(random, 0, MAX_MS),
});

/** A run is one process, and one more for each call. */
const ASKING = ['hand', 'hand', 'hand', 'hand', 'charged', 'charged', 'charged', 'run'] as const;

/** 64 of them take about this long to begin. */
const MAX_MS = 6000;
