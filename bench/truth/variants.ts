// Makes variants of cases and counts, for each operator, how many signatures are correct.

import { randomFrom } from '../random.ts';
import type { Operator } from './operator.ts';
import { type Subject, signChanged } from './subject.ts';

export interface Counted {
  name: string;
  variants: number;
  right: number;
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
  const counted: Counted = { name: operator.name, variants: 0, right: 0, wrong: [] };
  const drawn = subjects
    .map((subject) => {
      const random = randomFrom(seed, wanted, operator.name, subject.labelled.id);
      return { subject, lot: subjects.length > most ? random() : 0, random };
    })
    .sort((a, b) => a.lot - b.lot);
  for (const { subject, random } of drawn) {
    if (counted.variants >= most) break;
    const variant = operator.change(subject, random);
    if (variant === null) continue;
    const base = variant.base === undefined ? subject.signature! : signChanged(subject, variant.base);
    const changed = signChanged(subject, variant);
    counted.variants += 1;
    if ((base.signature === changed.signature) === (wanted === 'kept')) counted.right += 1;
    else counted.wrong.push({ id: subject.labelled.id, base: base.normalised, changed: changed.normalised });
  }
  return counted;
}

export const sum = (counts: readonly Counted[]): Pick<Counted, 'variants' | 'right'> => ({
  variants: counts.reduce((total, { variants }) => total + variants, 0),
  right: counts.reduce((total, { right }) => total + right, 0),
});
