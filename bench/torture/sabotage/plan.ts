// Plans a round of sabotage from its seed and number only: which agent replaces what by what, at which moment of which call.

import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { pick, type Random, randomFrom, whole } from '../../random.ts';
import { PLACES, type Target } from './places.ts';
import { MAKE, type Replacement } from './replace.ts';
import type { Caller } from './world.ts';

/** `places.ts` knows what is replaced, and `replace.ts` what by. */
export const TARGETS = Object.keys(PLACES) as Target[];
export const REPLACEMENTS = Object.keys(MAKE) as Replacement[];

/** `late`: some milliseconds after the agent went on. `between`: while nothing runs. */
export type Moment = 'begun' | 'half' | 'answered' | 'late' | 'between';

export interface Act {
  caller: Caller;
  moment: Moment;
  target: Target;
  by: Replacement;
  /** Selects one of several, and the variant of an edit. */
  salt: number;
}

export type Probe = keyof typeof PROBES;

/** Commands of people and machines between and during runs; none of them pays. */
export const PROBES = {
  status: ['status', '--json'],
  report: ['report', '--format', 'json'],
  budget: ['budget', 'a', '--json'],
  explain: ['explain', 'a', '--json'],
  logs: ['logs', 'a'],
  sessions: ['sessions', 'list'],
  scope: ['scope', 'ask', 'src/file.txt', '--task', 'a'],
  archive: ['archive', '--dry-run', '--older-than', '0d'],
  dry: ['run', 'a', '--dry-run', '--trust-workspace'],
  errors: ['report', '--errors'],
  health: ['report', '--health'],
  sweep: ['preflight', '--sweep', '--json'],
} as const satisfies Record<string, readonly string[]>;

export type SabotagePlan = ReturnType<typeof sabotagePlanOf>;

export function sabotagePlanOf(seed: number, n: number) {
  const random = randomFrom('sabotage', seed, n);
  const [first, second, other] = shuffled(random, TOOLS) as [BuiltIn, BuiltIn, BuiltIn];
  const roll = random();
  const kind: keyof typeof CALLERS = roll < 0.65 ? 'run' : roll < 0.9 ? 'batch' : 'wrapper';
  return {
    n,
    tools: { first, second, other },
    /** The command during which the agents sabotage. */
    kind,
    git: random() < 0.5,
    /** Tasks whose agents failed once before, so that their failures are on disk. */
    failedBefore: (['a', 'b'] as const).filter(() => random() < 0.3),
    acts: Array.from({ length: random() < 0.3 ? 2 : 1 }, () => act(random, CALLERS[kind])),
    /** Run while the agent waits after an act, and afterwards. */
    during: random() < 0.4 ? [pick(random, Object.keys(PROBES) as Probe[])] : [],
    afterwards: shuffled(random, Object.keys(PROBES) as Probe[]).slice(0, 3),
  };
}

/** By command: its agents; the first one sabotages twice as often. */
const CALLERS = {
  run: ['first', 'first', 'second'],
  batch: ['first', 'first', 'second', 'other'],
  wrapper: ['first'],
} satisfies Record<string, readonly Caller[]>;

function act(random: Random, callers: readonly Caller[]): Act {
  const roll = random();
  const moment =
    roll < 0.25 ? 'begun' : roll < 0.5 ? 'half' : roll < 0.75 ? 'answered' : roll < 0.85 ? 'late' : 'between';
  const caller = pick(random, callers);
  const target = pick(random, TARGETS);
  // Between two runs people may write what they want.
  const choice = REPLACEMENTS.filter((by) => moment !== 'between' || !['edit', 'text', 'gone'].includes(by));
  return { caller, moment, target, by: pick(random, choice), salt: whole(random, 0, 1_000_000) };
}

const shuffled = <T>(random: Random, list: readonly T[]): T[] =>
  list
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
