// Measures everything about a set of cases except times: the same for the same cases and the same seed.

import { FRAMES, LAYOUTS } from './layout.ts';
import { NOISE } from './noise.ts';
import { type Pairs, pairsOf } from './pairs.ts';
import type { Subject } from './subject.ts';
import { TELLINGS } from './telling.ts';
import { type Counted, count } from './variants.ts';
import { type Verdicts, verdictsOf } from './verdicts.ts';
import { CHANGED, PLANTED } from './volatile.ts';

export interface Measured {
  pairs: Pairs;
  /** Variants that should keep their signature, by group of operators; then those that should change it. */
  kept: Record<KeptGroup, Counted[]>;
  telling: Counted[];
  verdicts: Verdicts;
}

const KEPT = { changed: CHANGED, planted: PLANTED, layout: [...LAYOUTS, ...FRAMES], noise: NOISE } as const;
type KeptGroup = keyof typeof KEPT;
export const KEPT_GROUPS = Object.keys(KEPT) as KeptGroup[];

export const DEFAULT_SEED = 1;

/** For operators that fit nearly every case, this many variants are as significant as all. */
const ENOUGH = 250;

export function measure(subjects: readonly Subject[], seed: number): Measured {
  const failures = subjects.filter(({ signature }) => signature !== null);
  const counts = (group: KeptGroup) =>
    KEPT[group].map((operator) => count(operator, 'kept', failures, seed, group === 'changed' ? undefined : ENOUGH));
  return {
    pairs: pairsOf(subjects),
    kept: Object.fromEntries(KEPT_GROUPS.map((group) => [group, counts(group)])) as Measured['kept'],
    telling: TELLINGS.map((operator) => count(operator, 'changed', failures, seed)),
    verdicts: verdictsOf(subjects),
  };
}
