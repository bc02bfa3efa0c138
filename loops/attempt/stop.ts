// A stop that is told by a signal, as the promise that the runners await; it is forgotten when they have ended.

/** `came` resolves once the signal is raised, at once where it is already, and never rejects; `forget` takes the listener off. */
export function stopOf(signal: AbortSignal): { came: Promise<void>; forget(): void } {
  let tell = () => {};
  const came = new Promise<void>((resolve) => {
    tell = resolve;
  });
  signal.addEventListener('abort', tell, { once: true });
  if (signal.aborted) tell();
  return { came, forget: () => signal.removeEventListener('abort', tell) };
}
