// Guards a CLI by its limits, whichever process started it. The first cause to end it wins.

import type { EngineEvent } from '../policies/facts/engine-event.ts';
import type { Ending } from '../policies/facts/evidence.ts';
import type { Adapter } from './adapter.ts';
import type { StreamReading } from './reading.ts';

/** Times do not include the time the machine slept. */
export interface GuardLimits {
  wallMs: number;
  /** Without a byte of output. */
  idleMs: number | null;
  /** Until its first byte. */
  startMs: number | null;
  maxTurns: number | null;
  maxOutputBytes: number;
}

export interface Guarded {
  limits: GuardLimits;
  retries: 'cut' | 'allow';
  adapter: Pick<Adapter, 'lingerMs'>;
}

/** Until when the CLI must be held stopped, so that it sends no further request; null if it would send none. */
export function heldUntil(cause: Ending, { asksAgain }: Pick<Adapter, 'asksAgain'>): 'signalled' | 'ended' | null {
  if (cause === 'max_turns') return 'signalled';
  if (cause === 'requirement_unmet') return 'ended';
  // The CLI sends its next request before it could react to a signal.
  return cause === 'retry_cut' && asksAgain === 'at once' ? 'ended' : null;
}

interface GuardWatch {
  /** Resolves with the first cause to end the call; no later one counts. */
  cause: Promise<Ending>;
  release(): void;
}

/** After these events, a requirement of the caller may be unmet. */
const MAY_LACK: ReadonlySet<EngineEvent['how']> = new Set([
  ...([
    'asked_to_sign_in',
    'server',
    'servers_listed',
    'tool_denied',
    'tool_ended',
    'turn_began',
    'requested',
  ] as const),
]);

/** @param ageMs how long the CLI had been running before this guard started. */
export function guard(
  { limits, retries, adapter }: Guarded,
  ageMs: number,
  reading: StreamReading,
  stop: AbortSignal,
): GuardWatch {
  const dogs = createWatchdogs();
  let end: (why: Ending) => void = () => {};
  const cause = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  const rest = () => {
    if (limits.idleMs !== null) dogs.set('idle', limits.idleMs, () => end('idle'));
  };
  let over = false;
  const take = (event: EngineEvent, turns: () => number) => {
    // After its terminal event a call can only linger.
    if (over) return;
    over = event.how === 'completed' || event.how === 'failed';
    if (MAY_LACK.has(event.how) && reading.unmet() !== null) end('requirement_unmet');
    if (event.how === 'retrying' && retries === 'cut') end('retry_cut');
    if (over) dogs.set('linger', adapter.lingerMs, () => end('lingered'));
    // A tool call in the last allowed turn leads to one more turn, which would be paid as soon as the tool's result is there.
    if (
      (event.how === 'tool_began' || event.how === 'tool_ended') &&
      limits.maxTurns !== null &&
      turns() >= limits.maxTurns
    )
      end('max_turns');
  };
  const grow = (bytes: number) => {
    dogs.drop('start');
    rest();
    if (bytes > limits.maxOutputBytes) end('overflowed');
  };
  dogs.set('wall', Math.max(0, limits.wallMs - ageMs), () => end('timed_out'));
  if (limits.startMs !== null) dogs.set('start', Math.max(0, limits.startMs - ageMs), () => end('idle'));
  rest();
  const cancel = () => end('cancelled');
  stop.addEventListener('abort', cancel, { once: true });
  if (stop.aborted) cancel();
  reading.watch(take, grow);
  const release = () => {
    stop.removeEventListener('abort', cancel);
    dogs.release();
  };
  return { cause, release };
}

/** Named timers. Each can be set again. `release` drops all of them, and none can be set after that. */
interface Watchdogs {
  set(name: string, afterMs: number, onExpire: () => void): void;
  drop(name: string): void;
  release(): void;
}

/** The longest time that a Node timer can hold. A longer one would fire at once. */
const LONGEST_MS = 2_147_483_647;

function createWatchdogs(): Watchdogs {
  const timers = new Map<string, NodeJS.Timeout>();
  let released = false;
  return {
    set(name, afterMs, onExpire) {
      if (released) return;
      const old = timers.get(name);
      if (old !== undefined) clearTimeout(old);
      timers.set(name, setTimeout(onExpire, Math.min(afterMs, LONGEST_MS)));
    },
    drop(name) {
      clearTimeout(timers.get(name));
      timers.delete(name);
    },
    release() {
      released = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
