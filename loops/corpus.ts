// Judges labelled cases as a call would be judged.

import type { Judged } from '../policies/corpus-check.ts';
import type { LabelledCase } from '../policies/labelled-case.ts';
import type { Rule } from '../policies/rules/rule.ts';
import { triage } from './triage.ts';

/** @param own a user's rows, tried before ours. */
export const judgeCases = (cases: readonly LabelledCase[], own: readonly Rule[] = []): Judged[] =>
  cases.map((labelled) => {
    const { verdict, signature } = triage(labelled.captured, { now: labelled.at, timeZone: 'UTC' }, own);
    return { labelled, verdict, signature: signature?.signature ?? null };
  });
