// Takes the list of nearly used limits for a run's end, but only if a notifier reports them; otherwise they are kept.

import type { NotifierRow } from '../../policies/manifest/notifier.ts';
import { takeNearLimits } from '../limits/settle-limits.ts';
import type { RunContext } from '../task/run-context.ts';

export async function nearLimitsFor(
  { environment, clock }: Pick<RunContext, 'environment' | 'clock'>,
  notifiers: readonly NotifierRow[],
  root: string,
): Promise<string[]> {
  if (!notifiers.some(({ on }) => on.includes('budget'))) return [];
  return takeNearLimits({ environment, clock, root });
}
