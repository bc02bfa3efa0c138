// Classifies labelled cases in the same way as a call.

import type { Rule } from '../../policies/rules/rule.ts';
import type { Judged, LabelledCase } from '../../policies/verdict/labelled-case.ts';
import { triage } from './triage.ts';

/** @param own a user's rows, tried before ours. */
export const judgeCases = (cases: readonly LabelledCase[], own: readonly Rule[] = []): Judged[] =>
  cases.map((labelled) => {
    const { verdict, signature } = triage(labelled.captured, { now: labelled.at, timeZone: 'UTC' }, own);
    return { labelled, verdict, signature: signature?.signature ?? null };
  });
