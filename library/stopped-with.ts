// A caller's AbortSignal as the loops know one: told to stop as by TERM.

/** Aborts with the given one; `release` lets go of it. */
export function stoppedWith(signal: AbortSignal | undefined): { stop: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return { stop: controller.signal, release: () => signal?.removeEventListener('abort', abort) };
}
