// Limits a batch's concurrent calls: a free slot goes to the tool with the fewest, so that no long queue starves other tools.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { engineWords } from '../../policies/verdict/stand-ins.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { CallSlot, SlotRequest, Slots } from '../task/run-context.ts';

interface BatchSlots extends Slots {
  /** Calls in progress. */
  running(): Partial<Record<Tool, number>>;
  /** What is not called any more, and until when. */
  paused(): string[];
  /** The tools whose sign-in was refused. */
  signedOut(): Tool[];
}

interface Waiting {
  request: SlotRequest;
  begin(slot: CallSlot): void;
}

/** @param steadyMs a clock that cannot be set. If the system clock is set back, a pause does not last longer. */
export function openSlots(count: number, clock: () => Date, steadyMs = nowMs): BatchSlots {
  const running: Partial<Record<Tool, number>> = {};
  const pauses = new Map<string, StandingPause>();
  let free = count;
  /** The request that waits longest is first. */
  let queue: Waiting[] = [];
  const moment = (): Moment => ({ at: clock(), steadyMs: steadyMs() });
  /** Uses one moment throughout: a request that meets a pause stops waiting, even if the pause ends just then. */
  const give = (now: Moment) => {
    queue = queue.filter(({ request, begin }) => {
      const pause = standing(pauses, request, now);
      if (pause !== null) begin(pause);
      return pause === null;
    });
    while (free > 0) {
      const next = nextOf(queue, running);
      if (next === null) return;
      queue = queue.filter((one) => one !== next);
      free -= 1;
      running[next.request.tool] = (running[next.request.tool] ?? 0) + 1;
      next.begin({ how: 'taken', release: once((verdict) => release(next.request, verdict)) });
    }
  };
  const release = (request: SlotRequest, verdict: Verdict | null) => {
    const now = moment();
    free += 1;
    running[request.tool]! -= 1;
    const pause = verdict === null ? null : pauseFor(request, verdict);
    if (pause !== null) {
      const { what, slot } = pause;
      const longMs = slot.until === null ? Number.POSITIVE_INFINITY : Date.parse(slot.until) - now.at.getTime();
      pauses.set(what, { slot, overMs: now.steadyMs + longMs });
    }
    give(now);
  };
  return {
    take: (request, stop) =>
      new Promise((resolve) => {
        if (stop.aborted) return resolve({ how: 'stopped' });
        const one: Waiting = {
          request,
          begin(slot) {
            stop.removeEventListener('abort', end);
            resolve(slot);
          },
        };
        const end = () => {
          queue = queue.filter((other) => other !== one);
          one.begin({ how: 'stopped' });
        };
        stop.addEventListener('abort', end, { once: true });
        queue.push(one);
        give(moment());
      }),
    running: () => running,
    paused: () => [...pauses.values()].map(({ slot }) => slot.message),
    signedOut: () => TOOLS.filter((tool) => pauses.has(signInOf({ tool, model: null }))),
  };
}

/** Picks the waiting request whose tool has the fewest calls in progress; among these, the one that waits longest. */
export function nextOf<W extends { request: { tool: Tool } }>(
  queue: readonly W[],
  running: Partial<Record<Tool, number>>,
): W | null {
  let best: W | null = null;
  const count = ({ request }: W) => running[request.tool] ?? 0;
  for (const one of queue) if (best === null || count(one) < count(best)) best = one;
  return best;
}

type Pause = CallSlot & { how: 'paused' };

interface Moment {
  at: Date;
  steadyMs: number;
}

interface StandingPause {
  slot: Pause;
  overMs: number;
}

const signInOf = (request: SlotRequest): string => `the sign-in of ${engineWords({ ...request, model: null })}`;

/** Returns a pause for a failure that other calls would meet as well; null for a failure of that call alone. */
function pauseFor(
  request: SlotRequest,
  { class: errorClass, retry_at, reason }: Verdict,
): { what: string; slot: Pause } | null {
  if (errorClass === 'quota' && reason !== 'budget') {
    const until = retry_at === null ? 'in this batch' : `before ${retry_at}`;
    const message = `the quota of ${engineWords(request)} is used up (${reason}); it is not called again ${until}`;
    return { what: engineWords(request), slot: { how: 'paused', class: 'quota', until: retry_at, message } };
  }
  if (errorClass !== 'auth') return null;
  // An account may be refused one model, and still have the others.
  const what = reason === 'not_authorised' ? engineWords(request) : signInOf(request);
  const message = `${what} was refused (${reason}); it is not called again in this batch`;
  return { what, slot: { how: 'paused', class: 'auth', until: null, message } };
}

function standing(
  pauses: ReadonlyMap<string, StandingPause>,
  request: SlotRequest,
  { at, steadyMs }: Moment,
): Pause | null {
  const found = [signInOf(request), engineWords(request)].flatMap((what) => pauses.get(what) ?? []);
  const isOver = ({ slot: { until }, overMs }: StandingPause) =>
    until !== null && (Date.parse(until) <= at.getTime() || overMs <= steadyMs);
  return found.find((pause) => !isOver(pause))?.slot ?? null;
}

/** A slot that is released twice would count as two. */
function once(release: (verdict: Verdict | null) => void): (verdict: Verdict | null) => void {
  let isReleased = false;
  return (verdict) => {
    if (!isReleased) release(verdict);
    isReleased = true;
  };
}
