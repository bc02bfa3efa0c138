// What a limited round does, made from its seed and number alone: which processes ask at once for how much of a limit, and which of them are killed when.

import { pick, randomFrom, whole } from '../../random.ts';
import { TARGETS } from '../plan.ts';

export type Wave = ReturnType<typeof waveOf>;

export type LimitsPlan = {
  n: number;
  /** How long an agent works. */
  workMs: number;
  /** How many request a call at once. */
  askers: number;
} /** Calls a day, and how many of them were made earlier that day. */ & (
  | { kind: 'budget'; most: number; before: number }
  /** Without kills: a killed agent does not say when it ended. */
  | { kind: 'at_once'; most: number }
);

const ASKERS = 64;

/** One in `every` rounds limits the calls at once. */
const EVERY = 8;

export function limitsPlanOf(seed: number, n: number): LimitsPlan {
  const random = randomFrom('limits', seed, n);
  const workMs = whole(random, 0, 40);
  if (n % EVERY === 0) return { n, workMs, askers: ASKERS, kind: 'at_once', most: 3 };
  // Each wrapper costs a tenth of a second of processor time: most rounds begin with a nearly used budget.
  const before = n % EVERY === 1 ? 0 : whole(random, 60, 95);
  return { n, workMs, askers: ASKERS, kind: 'budget', most: 100, before };
}

export function waveOf(seed: number, { n, askers: count }: LimitsPlan, wave: number) {
  const random = randomFrom('wave', seed, n, wave);
  const askers = Array.from({ length: count }, () => pick(random, ASKING));
  const strikes = Array.from({ length: whole(random, count / 8, count / 3) }, () => ({
    asker: whole(random, 0, count - 1),
    at: pick(random, TARGETS),
    afterMs: whole(random, 0, MAX_MS),
  }));
  return { askers, strikes };
}

/** A run is one process, and one more for each call. */
const ASKING = ['hand', 'hand', 'hand', 'hand', 'charged', 'charged', 'charged', 'run'] as const;

/** 64 of them take about this long to begin. */
const MAX_MS = 6000;
