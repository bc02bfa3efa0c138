// Converts a caller's AbortSignal to a signal that stops the loops as TERM does.

/** Aborts with the given signal; `release` removes the listener. */
export function stoppedWith(signal: AbortSignal | undefined): { stop: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return { stop: controller.signal, release: () => signal?.removeEventListener('abort', abort) };
}
