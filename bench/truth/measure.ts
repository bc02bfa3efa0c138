// Measures everything about a set of cases except times: the same for the same cases and the same seed.

import { randomFrom } from '../random.ts';
import { FRAMES, LAYOUTS } from './layout.ts';
import { NOISE } from './noise.ts';
import type { Operator } from './operator.ts';
import { pairsOf, type Share, verdictsOf } from './pairs.ts';
import { type Subject, signChanged } from './subject.ts';
import { TELLINGS } from './telling.ts';
import { CHANGED, PLANTED } from './volatile.ts';

export type Measured = ReturnType<typeof measure>;

const KEPT = { changed: CHANGED, planted: PLANTED, layout: [...LAYOUTS, ...FRAMES], noise: NOISE } as const;
type KeptGroup = keyof typeof KEPT;
export const KEPT_GROUPS = Object.keys(KEPT) as KeptGroup[];

export const DEFAULT_SEED = 1;

/** For operators that fit nearly every case, this many variants are as significant as all. */
const ENOUGH = 250;

export function measure(subjects: readonly Subject[], seed: number) {
  const failures = subjects.filter(({ signature }) => signature !== null);
  const counts = (group: KeptGroup) =>
    KEPT[group].map((operator) => count(operator, 'kept', failures, seed, group === 'changed' ? undefined : ENOUGH));
  return {
    pairs: pairsOf(subjects),
    // Variants that should keep their signature, by group of operators; then those that should change it.
    kept: Object.fromEntries(KEPT_GROUPS.map((group) => [group, counts(group)])) as Record<KeptGroup, Counted[]>,
    telling: TELLINGS.map((operator) => count(operator, 'changed', failures, seed)),
    verdicts: verdictsOf(subjects),
  };
}

/** `of`: the variants of an operator. */
export interface Counted extends Share {
  name: string;
  wrong: { id: string; base: string; changed: string }[];
}

/**
 * @param wanted what the operator should do to the signature.
 * @param most the number of variants that are enough; their cases are drawn separately for each operator.
 */
export function count(
  operator: Operator,
  wanted: 'kept' | 'changed',
  subjects: readonly Subject[],
  seed: number,
  most = Number.POSITIVE_INFINITY,
): Counted {
  const counted: Counted = { name: operator.name, of: 0, right: 0, wrong: [] };
  const drawn = subjects
    .map((subject) => {
      const random = randomFrom(seed, wanted, operator.name, subject.labelled.id);
      return { subject, lot: subjects.length > most ? random() : 0, random };
    })
    .sort((a, b) => a.lot - b.lot);
  for (const { subject, random } of drawn) {
    if (counted.of >= most) break;
    const variant = operator.change(subject, random);
    if (variant === null) continue;
    const base = variant.base === undefined ? subject.signature! : signChanged(subject, variant.base);
    const changed = signChanged(subject, variant);
    counted.of += 1;
    if ((base.signature === changed.signature) === (wanted === 'kept')) counted.right += 1;
    else counted.wrong.push({ id: subject.labelled.id, base: base.normalised, changed: changed.normalised });
  }
  return counted;
}

export const sum = (counts: readonly Share[]): Share => ({
  of: counts.reduce((total, { of }) => total + of, 0),
  right: counts.reduce((total, { right }) => total + right, 0),
});
