// The environment in which one process of a run meets a system that fails, or a clock that is wrong.

import { existsSync, readFileSync } from 'node:fs';
import { COMMANDS, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { faultEnv } from '../../test/rig/fault-shim.ts';
import type { Plan, Strike } from './plan.ts';

export interface Injection {
  env: Record<string, string>;
  /** Whether it has come to pass by now. */
  landed(): boolean;
}

/**
 * What the strike needs in the environment; empty for one that comes from without, and where the library cannot be built.
 * @param under the folder whose files are meant.
 * @param log a file beside it, not there yet, for what was counted.
 */
export function injected(strike: Strike, { kind, stages }: Plan, under: string, log: string): Injection {
  if (strike.how === 'signal') return { env: {}, landed: () => true };
  const { tool = TOOLS[0] } = stages[0] ?? {};
  // One that is described is called by tollgate itself, as its dispatcher is: its name stands among the words.
  const wrapper = isBuiltIn(tool) ? `${COMMANDS[tool]}.cjs` : tool;
  const isWrapper = strike.at === 'guardian' || kind === 'wrapper' || kind === 'alone';
  const common = { in: isWrapper ? wrapper : 'tollgate.cjs', under, log };
  const nth = strike.how === 'clock' ? 1 : strike.nth;
  const env =
    strike.how === 'clock'
      ? faultEnv({ ...common, clockSeconds: strike.seconds })
      : faultEnv({ ...common, at: nth, does: strike.does });
  return { env, landed: () => countIn(log) >= nth };
}

/** The highest number of a call that any process made. */
function countIn(log: string): number {
  if (!existsSync(log)) return 0;
  const numbers = readFileSync(log, 'utf8')
    .split('\n')
    .map((line) => Number.parseInt(line, 10) || 0);
  return Math.max(...numbers);
}
