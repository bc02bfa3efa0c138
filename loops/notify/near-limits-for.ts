// The limits over all tasks that a run's end is to tell of: taken only where somebody hears them, else they are left for who is heard.

import type { NotifierRow } from '../../policies/notify/notifier.ts';
import { takeNearLimits } from '../limits/limited.ts';
import type { RunContext } from '../task/run-context.ts';

export async function nearLimitsFor(
  { environment, clock }: Pick<RunContext, 'environment' | 'clock'>,
  notifiers: readonly NotifierRow[],
  root: string,
): Promise<string[]> {
  if (!notifiers.some(({ on }) => on.includes('budget'))) return [];
  return takeNearLimits({ environment, clock, root });
}
