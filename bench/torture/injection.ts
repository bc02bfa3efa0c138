// The environment in which one process of a run meets a system that fails, or a clock that is wrong.

import { TOOLS } from '../../policies/tools.ts';
import { faultEnv } from '../../test/rig/fault-shim.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { Plan, Strike } from './plan.ts';

/**
 * What the strike needs in the environment; empty for one that comes from without, and where the library cannot be built.
 * @param under the folder whose files are meant.
 */
export function injected(strike: Strike, { kind, stages }: Plan, under: string): Record<string, string> {
  if (strike.how === 'signal') return {};
  const wrapper = `${ADAPTERS[stages[0]?.tool ?? TOOLS[0]].command}.cjs`;
  const script = strike.at === 'guardian' || kind === 'wrapper' ? wrapper : 'tollgate.cjs';
  if (strike.how === 'clock') return faultEnv({ in: script, under, clockSeconds: strike.seconds });
  return faultEnv({ in: script, under, at: strike.nth, does: strike.does });
}
