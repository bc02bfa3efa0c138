// Makes variants of cases and counts, for each operator, how many signatures are correct.

import { randomFrom } from '../random.ts';
import type { Operator, Variant } from './operator.ts';
import { type Subject, signChanged } from './subject.ts';

export interface Counted {
  name: string;
  variants: number;
  right: number;
  wrong: Miss[];
}

export interface Miss {
  id: string;
  base: string;
  changed: string;
}

/** What an operator should do to the signature. */
export type Wanted = 'kept' | 'changed';

/** @param most the number of variants that are enough; their cases are drawn separately for each operator. */
export function count(
  operator: Operator,
  wanted: Wanted,
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
    const [base, changed] = signed(subject, variant);
    counted.variants += 1;
    if ((base.signature === changed.signature) === (wanted === 'kept')) counted.right += 1;
    else counted.wrong.push({ id: subject.labelled.id, base: base.normalised, changed: changed.normalised });
  }
  return counted;
}

function signed(subject: Subject, { base, changed }: Variant) {
  const asIs = base === null ? subject.signature! : signChanged(subject, base);
  return [asIs, signChanged(subject, changed)] as const;
}

export function sum(counts: readonly Counted[]): Pick<Counted, 'variants' | 'right'> {
  return {
    variants: counts.reduce((total, { variants }) => total + variants, 0),
    right: counts.reduce((total, { right }) => total + right, 0),
  };
}
