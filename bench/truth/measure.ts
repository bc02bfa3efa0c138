// All that is measured of a set of cases, times apart: the same for the same cases and the same seed.

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
  /** Variants whose signature ought to be kept, by group of operators; then those whose signature ought to change. */
  kept: Record<KeptGroup, Counted[]>;
  telling: Counted[];
  verdicts: Verdicts;
}

const KEPT = { changed: CHANGED, planted: PLANTED, layout: [...LAYOUTS, ...FRAMES], noise: NOISE } as const;
type KeptGroup = keyof typeof KEPT;
export const KEPT_GROUPS = Object.keys(KEPT) as KeptGroup[];

export const DEFAULT_SEED = 1;

/** Of operators that fit nearly every case so many variants say as much as all. */
const ENOUGH = 250;

export function measure(subjects: readonly Subject[], seed: number): Measured {
  const failures = subjects.filter(({ signature }) => signature !== null);
  const counts = (group: KeptGroup) =>
    KEPT[group].map((operator) => count(operator, 'kept', failures, seed, group === 'changed' ? undefined : ENOUGH));
  return {
    pairs: pairsOf(subjects),
    kept: { changed: counts('changed'), planted: counts('planted'), layout: counts('layout'), noise: counts('noise') },
    telling: TELLINGS.map((operator) => count(operator, 'changed', failures, seed)),
    verdicts: verdictsOf(subjects),
  };
}
