// Plans a supervised round from its seed and number only: the reasoner's answers, the user's notes, and the kills.

import { pick, type Random, randomFrom, whole } from '../../random.ts';
import { TARGETS, type Target } from '../plan.ts';

export type SuperviseSaid =
  /** One of GARBAGE. */
  `garbage ${number}` | 'fails' | 'no_op' | (typeof WORDS)[number];

/**
 * `stray`: the worker leaves a file out of scope; nothing counts as done while that is there. `repair`: it takes that away.
 * `early`: a `done` while the acceptance command fails.
 */
const WORDS = ['continue', 'continue', 'stray', 'repair', 'save_session', 'ask', 'early'] as const;

/** Texts that are not an answer. */
export const GARBAGE = [
  '',
  'Go on as you think best.',
  '{"action":"continue","instruction":"Do ha',
  '{"action":"continue","instruction":"   "}',
  '{"action":"no_op"} or rather {"action":"done","summary":"x"}',
  `{"action":"continue","instruction":"${'long '.repeat(20_000)}"}`,
] as const;

export interface SuperviseStrike {
  /** `agent`: the worker or the reasoner, whichever is at work. */
  at: Target;
  signal: 'SIGKILL' | 'SIGINT';
  afterMs: number;
}

export type SupervisePlan = ReturnType<typeof supervisePlanOf>;

const MAX_MS = 900;

export function supervisePlanOf(seed: number, n: number) {
  const random = randomFrom('supervise', seed, n);
  return {
    n,
    /** By iteration; past the end all is repaired and done. */
    script: Array.from({ length: whole(random, 1, 4) }, () => saidOf(random)),
    workMs: whole(random, 0, 60),
    /** One for each start, as long as there are any. */
    strikes: Array.from({ length: whole(random, 1, 2) }, () => strikeOf(random)),
    /** By start: the milliseconds after which the user writes a note. */
    notes: Array.from({ length: 3 }, () => (random() < 0.15 ? whole(random, 0, MAX_MS) : null)),
  };
}

function saidOf(random: Random): SuperviseSaid {
  const chance = random();
  if (chance < 0.25) return 'fails';
  if (chance < 0.4) return `garbage ${whole(random, 0, GARBAGE.length - 1)}`;
  if (chance < 0.5) return 'no_op';
  return pick(random, WORDS);
}

function strikeOf(random: Random): SuperviseStrike {
  const afterMs = whole(random, 50, MAX_MS);
  if (random() < 0.15) return { at: 'dispatcher', signal: 'SIGINT', afterMs };
  return { at: pick(random, TARGETS), signal: 'SIGKILL', afterMs };
}
