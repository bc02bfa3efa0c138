// Renders a distillation for users.

import type { DistillView } from '../../../loops/distill/open-run.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';

export const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

export function viewLines(view: DistillView): string[] {
  const { name, state, evidence, sections, tokens, estimated_tokens, usd, unpriced_answers, calls, wanted } = view;
  const estimated = estimated_tokens > 0 ? ` (${estimated_tokens} of them estimated)` : '';
  const unpriced = unpriced_answers > 0 ? ` (${unpriced_answers} answers without a known price)` : '';
  return [
    `${name}: ${state}${evidence === '' || state === 'complete' ? '' : `: ${evidence}`}`,
    `  ${sections} ${sections === 1 ? 'section' : 'sections'}${wanted.length === 0 ? '' : `, to be requested again: ${wanted.join(', ')}`}; ${tokens} tokens${estimated}; ${dollars(usd)}${unpriced}; ${calls.used} of ${calls.total} paid calls`,
    `  model: ${view.model}${view.model_version === null || view.model_version === view.model ? '' : ` (${view.model_version} answered)`}`,
    `  document: ${view.document}`,
    ...view.next_actions.map((action) => `  next: ${actionLine(action)}`),
  ];
}
