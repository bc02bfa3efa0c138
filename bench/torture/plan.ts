// Plans a round from its seed and number only: the task, the behaviour of its agents, and the strikes with their moments.

import { COMMANDS, isBuiltIn, type OwnTool, rowOf, TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { STREAMS, type Stream } from '../../test/rig/streams.ts';
import { pick, type Random, randomFrom, whole } from '../random.ts';

/** The behaviour of one call of the CLI; after the end of a round's list each call answers at once. */
export type Behaviour =
  /** Answers after this many milliseconds. */
  | `answer:${number}`
  /** The same, and leaves children in separate groups and sessions. */
  | `brood:${number}`
  /** The same, with its answer on disk long before it ends. */
  | `linger:${number}`
  /** The service is overloaded. */
  | 'busy'
  /** Announces its begin, and nothing more. */
  | 'hang'
  /** Ends without output, with exit code 0. */
  | 'mute'
  /** Is killed in the middle of its answer. */
  | 'dies';

export const TARGETS = ['dispatcher', 'guardian', 'agent', 'both', 'everything'] as const;
export type Target = (typeof TARGETS)[number];

/** After the start of the command, or after an agent reported its begin or its answer. */
export interface Moment {
  after: 'start' | 'begun' | 'answered';
  ms: number;
}

export type SystemFault = 'KILL' | 'KILL_AFTER' | 'ENOSPC' | 'EIO' | 'EMFILE' | 'SHORT';

export type Strike =
  | { how: 'signal'; signal: NodeJS.Signals; at: Target; when: Moment }
  /** At the n-th system call on the task's files. */
  | { how: 'fault'; at: 'dispatcher' | 'guardian'; nth: number; does: SystemFault }
  /** The wall clock of one process is wrong by this many seconds. */
  | { how: 'clock'; at: 'dispatcher' | 'guardian'; seconds: number };

/** What happens to the state between two runs, as after a loss of power, or an edit by an editor or the user. */
const HARMS = ['half_line', 'zero_bytes', 'no_stats', 'empty_stats', 'no_summary', 'no_queue'] as const;
export type Harm = (typeof HARMS)[number];

export type Plan = ReturnType<typeof planOf>;

/** The longest time between two events, in ms: a real CLI is slower. */
const PACE_MS = { fake: 350, real: 2000 };

export function planOf(seed: number, n: number, agents: 'fake' | 'real') {
  const random = randomFrom('torture', agents, seed, n);
  const paceMs = PACE_MS[agents];
  /** `crowd`: wrappers that share the task's budget beside its run. `batch`: two more tasks. `alone`: wrappers without a task. */
  const kind = weighed<'run' | 'wrapper' | 'crowd' | 'batch' | 'alone'>(
    random,
    agents === 'fake' ? { run: 60, wrapper: 18, alone: 10, crowd: 6, batch: 6 } : { run: 75, wrapper: 25 },
  );
  const stages = Array.from({ length: kind === 'run' ? whole(random, 1, 2) : 1 }, () => ({
    tool: pick<Tool>(random, agents === 'fake' ? [...TOOLS, DESCRIBED] : TOOLS),
    role: random() < 0.2 ? ('impl' as const) : ('brief' as const),
  }));
  const count = agents === 'fake' ? whole(random, 0, 3) : 0;
  return {
    n,
    kind,
    stages,
    budget: random() < 0.3 ? whole(random, 1, 2) : 8,
    behaviours: Array.from({ length: count }, () => behaviour(random, paceMs)),
    /** One run for each strike, and after it the harm; then the last run, which nothing strikes. */
    strikes: Array.from({ length: random() < 0.25 ? 2 : 1 }, () => ({
      strike: strikeOf(random, paceMs),
      harm: random() < 0.2 ? pick(random, HARMS) : null,
    })),
  };
}

function behaviour(random: Random, paceMs: number): Behaviour {
  const ms = whole(random, 0, paceMs);
  return weighed(random, {
    [`answer:${ms}`]: 70,
    [`brood:${ms}`]: 10,
    [`linger:${ms}`]: 1,
    busy: 6,
    hang: 2,
    mute: 5,
    dies: 6,
  } as Record<Behaviour, number>);
}

function strikeOf(random: Random, paceMs: number): Strike {
  const how = weighed(random, { signal: 60, fault: 35, clock: 5 });
  const at = pick(random, ['dispatcher', 'guardian'] as const);
  if (how === 'clock') return { how, at, seconds: pick(random, [-315_360_000, -86_400, -30, 30, 86_400, 315_360_000]) };
  if (how === 'fault') {
    const does = weighed(random, { KILL: 40, KILL_AFTER: 20, ENOSPC: 10, EIO: 10, EMFILE: 10, SHORT: 10 });
    return { how, at, nth: whole(random, 1, 60), does };
  }
  const signal = weighed(random, { SIGKILL: 70, SIGTERM: 12, SIGINT: 12, SIGHUP: 6 });
  const target = weighed(random, { dispatcher: 25, guardian: 25, agent: 10, both: 20, everything: 20 });
  const after = pick(random, ['start', 'start', 'begun', 'answered'] as const);
  return { how, signal, at: target, when: { after, ms: whole(random, 0, after === 'start' ? paceMs : paceMs / 5) } };
}

function weighed<T extends string>(random: Random, weights: Partial<Record<T, number>>): T {
  const rows = Object.entries(weights) as [T, number][];
  let left = random() * rows.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of rows) {
    left -= weight;
    if (left < 0) return name;
  }
  return rows[0]![0];
}

/** An agent without a built-in row: a shell script that tollgate.yaml describes. */
export const DESCRIBED = 'described' as OwnTool;

/** A strike finds the guardian by the word for the tool. The program has another name, so that the two differ. */
const BINARY = 'agent-of-ours';

export const binaryOf = (tool: Tool): string => (isBuiltIn(tool) ? tool : BINARY);

/** The words of the command that calls it. */
export const wordsOf = (tool: Tool): [command: string, ...words: string[]] =>
  isBuiltIn(tool) ? [COMMANDS[tool]] : ['tollgate', 'call', tool];

export const streamOf = (tool: Tool): Omit<Stream, 'runsTool' | 'retries'> => rowOf(STREAMS, tool, LINES);

const line = (type: string, more: object): string => JSON.stringify({ type, ...more });

const LINES: Omit<Stream, 'runsTool' | 'retries'> = {
  opens: (session) => [line('start', { session })],
  says: (text) => [line('text', { text })],
  succeeds: () => [line('end', { tokens: { in: 10, out: 5 } })],
  fails: (message, status) => [line('error', { message, status })],
};

export const DESCRIPTION = `tools:
  ${DESCRIBED}:
    binary: ${BINARY}
    argv: [[--session, '{session}']]
    output: lines
    events:
      - { when: { type: start }, session: session, requested: true }
      - { when: { type: text }, answer: text }
      - { when: { type: end }, completed: true, tokens: { input: tokens.in, output: tokens.out } }
      - { when: { type: error }, failure: message, status: status }
`;
