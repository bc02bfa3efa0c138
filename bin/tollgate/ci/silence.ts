// Says something after each while in which nothing was said: CI systems end a job that is silent for long.

/** @param tell at the end of each `everyMs` since it began or last heard of something. */
export function startSilence(everyMs: number, tell: (silentMs: number) => void): { heard(): void; stop(): void } {
  let since = performance.now();
  const timer = setInterval(() => tell(performance.now() - since), everyMs);
  return {
    heard() {
      since = performance.now();
      timer.refresh();
    },
    stop: () => clearInterval(timer),
  };
}
