// Provides the time for everything that counts up or down: one timer for the page, and none while the page is hidden.

import { type ReadonlySignal, signal } from '../reactive.ts';

const clock = signal(Date.now());

/** Ticks once a second. */
export const now: ReadonlySignal<number> = clock;

let timer: ReturnType<typeof setInterval> | undefined;

export function startClock(): void {
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
