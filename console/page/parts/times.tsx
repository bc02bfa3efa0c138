// Shows times that update by themselves by one timer of the page: how long ago, for how long, until when.

import { type ReadonlySignal, signal } from '../reactive.ts';
import { dated, lasting, since } from './figures.ts';

/** Shows the whole date on hover. */
export function Ago({ at }: { at: string | null }) {
  if (at === null) return <span class="dim">never</span>;
  return (
    <time dateTime={at} title={dated(at)} class="nowrap">
      {since(at, now.value)}
    </time>
  );
}

export function Dated({ at }: { at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {dated(at)}
    </time>
  );
}

export function Elapsed({ from }: { from: string }) {
  const ms = now.value - Date.parse(from);
  return (
    <time title={`since ${dated(from)}`} class="nowrap">
      {Number.isNaN(ms) ? 'unknown' : lasting(ms)}
    </time>
  );
}

export function Countdown({ to }: { to: string }) {
  const ms = Date.parse(to) - now.value;
  return (
    <time dateTime={to} title={dated(to)} class="nowrap">
      {Number.isNaN(ms) ? 'unknown' : ms <= 0 ? 'now' : lasting(ms + 999)}
    </time>
  );
}

/** Provides the time for everything that counts up or down: one timer for the page, and none while the page is hidden. */
const clock = signal(Date.now());

/** Ticks once a second. */
export const now: ReadonlySignal<number> = clock;

export function startClock(): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    clock.value = Date.now();
  };
  const follow = () => {
    clearInterval(timer);
    tick();
    if (!document.hidden) timer = setInterval(tick, 1_000);
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}
