// Explains why a stop was requested: the reason of the one AbortSignal to which everything below a command listens.

import { EXIT_BY_SIGNAL } from './exit-codes.ts';

/** The signals that request a process to stop. */
export type StopSignal = keyof typeof EXIT_BY_SIGNAL;

/** The signal that stopped us; null if there was none yet, or if the cause was not a signal. */
export const stoppedBy = ({ reason }: AbortSignal): StopSignal | null =>
  typeof reason === 'string' && Object.hasOwn(EXIT_BY_SIGNAL, reason) ? (reason as StopSignal) : null;

/** For users: the signal's name, or the sentence that it was aborted with. */
export const stopWords = ({ reason }: AbortSignal): string => (typeof reason === 'string' ? reason : 'a signal');

/** The exit code of a process that was stopped. */
export const stopExit = (stop: AbortSignal): (typeof EXIT_BY_SIGNAL)[StopSignal] =>
  EXIT_BY_SIGNAL[stoppedBy(stop) ?? 'SIGTERM'];

export const untilStopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
