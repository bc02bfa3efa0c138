// All that is measured of a set of cases, times apart: the same for the same cases and the same seed.

import { FRAMES } from './frames.ts';
import { LAYOUTS } from './layout.ts';
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

/** Both sets as one: pairs are counted anew, since two failures may meet across them. */
export function together(subjects: readonly Subject[], one: Measured, two: Measured): Measured {
  const added = (a: readonly Counted[], b: readonly Counted[]): Counted[] =>
    a.map(({ name, variants, right, wrong }, i) => ({
      name,
      variants: variants + b[i]!.variants,
      right: right + b[i]!.right,
      wrong: [...wrong, ...b[i]!.wrong],
    }));
  const groups = (group: KeptGroup) => added(one.kept[group], two.kept[group]);
  return {
    pairs: pairsOf(subjects),
    kept: { changed: groups('changed'), planted: groups('planted'), layout: groups('layout'), noise: groups('noise') },
    telling: added(one.telling, two.telling),
    verdicts: verdictsOf(subjects),
  };
}
