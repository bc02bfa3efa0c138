// Makes variants of cases and counts, for each operator, how many signatures are as they should be.

import type { Operator, Variant } from './operator.ts';
import { randomFrom } from './random.ts';
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

/** What an operator ought to do to the signature. */
export type Wanted = 'kept' | 'changed';

export function count(operator: Operator, wanted: Wanted, subjects: readonly Subject[], seed: number): Counted {
  const counted: Counted = { name: operator.name, variants: 0, right: 0, wrong: [] };
  for (const subject of subjects) {
    const variant = operator.change(subject, randomFrom(seed, wanted, operator.name, subject.labelled.id));
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
