// Guards a CLI by its limits, whichever process started it. The first cause to end it wins.

import type { EngineEvent } from '../policies/facts/engine-event.ts';
import type { Ending } from '../policies/facts/evidence.ts';
import { type CapReached, type Caps, capReached, capUse, estimatedTokens } from '../policies/limits/caps.ts';
import type { Adapter } from './adapter.ts';
import { MOST_BLOCKED } from './capture.ts';
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
  /** Absent if it may use any number of tokens and dollars. */
  caps?: Caps & { promptBytes: number };
}

export interface Guarded {
  limits: GuardLimits;
  retries: 'cut' | 'allow';
  adapter: Pick<Adapter, 'lingerMs' | 'liveUsage'>;
}

/** Until when the CLI must be held stopped, so that it sends no further request; null if it would send none. */
export function heldUntil(cause: Ending, asksAgain: Adapter['asksAgain']): 'signalled' | 'ended' | null {
  if (cause === 'max_turns' || cause === 'over_cap') return 'signalled';
  if (cause === 'requirement_unmet') return 'ended';
  // The CLI sends its next request before it could react to a signal.
  return cause === 'retry_cut' && asksAgain === 'at once' ? 'ended' : null;
}

interface GuardWatch {
  /** Resolves with the first cause to end the call; no later one counts. */
  cause: Promise<Ending>;
  /** The cap that ended the call; null if none did. */
  cap(): CapReached | null;
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

/** Turns after which a CLI that counts its requests has not counted any: its version does not, or its file cannot be read. */
const UNCOUNTED_TURNS = 3;

/** With these events the CLI has sent a request. What it answers is paid, and may be the answer of the call. */
const REQUESTS: ReadonlySet<EngineEvent['how']> = new Set(['requested', 'turn_began', 'said']);

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
  let cap: CapReached | null = null;
  let blocked = 0;
  /** A tool was used and its result is not sent yet, so that the CLI will call the model again. */
  let acts = false;
  /** Whether the counts of its requests were looked for once more. */
  let sought: 'not yet' | 'now' | 'before' = 'not yet';
  const { caps } = limits;
  const look = () => {
    if (caps === undefined || over || cap !== null) return;
    const capture = reading.capture();
    const { turns } = capture;
    const use = capUse(capture, estimatedTokens(caps.promptBytes, reading.bytes(), turns ?? 1));
    // The count of the first request may be late, but not as late as this.
    if (use.requests.length === 0 && adapter.liveUsage !== null) {
      if ((turns ?? 0) < UNCOUNTED_TURNS) return;
      if (sought === 'not yet') {
        sought = 'now';
        void reading.seekCounts().then(() => {
          sought = 'before';
          if (acts) look();
        });
      }
      if (sought !== 'before') return;
    }
    cap = capReached(caps, use);
    if (cap !== null) end('over_cap');
  };
  const take = (event: EngineEvent) => {
    // After its terminal event a call can only linger.
    if (over) return;
    over = event.how === 'completed' || event.how === 'failed';
    if (MAY_LACK.has(event.how) && reading.unmet() !== null) end('requirement_unmet');
    if (event.how === 'retrying' && retries === 'cut') end('retry_cut');
    // The other CLIs stop by themselves then, also when they may retry.
    if (event.how === 'stopped' && event.unless === 'answered_later' && ++blocked === MOST_BLOCKED) end('retry_cut');
    if (over) dogs.set('linger', adapter.lingerMs, () => end('lingered'));
    if (event.how === 'tool_began' || event.how === 'tool_ended') acts = true;
    else if (REQUESTS.has(event.how)) acts = false;
    // The count of a request may arrive after its tool has begun.
    if (acts) look();
    // A tool call in the last allowed turn leads to one more turn, which would be paid as soon as the tool's result is there.
    if (
      (event.how === 'tool_began' || event.how === 'tool_ended') &&
      limits.maxTurns !== null &&
      (reading.capture().turns ?? 0) >= limits.maxTurns
    )
      end('max_turns');
  };
  const grow = (bytes: number) => {
    dogs.drop('start');
    rest();
    if (bytes > limits.maxOutputBytes) end('overflowed');
    // Without events, nothing shows when it calls the model again.
    if (adapter.liveUsage === null) look();
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
  return { cause, cap: () => cap, release };
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
