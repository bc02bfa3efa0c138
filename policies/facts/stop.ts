// Why something was told to stop: the reason of the one AbortSignal that all below a command listen to.

import { EXIT_BY_SIGNAL } from './exit-codes.ts';

/** That a process is told to stop by. */
export type StopSignal = keyof typeof EXIT_BY_SIGNAL;

/** The signal that told us; null where nothing did yet, or where it was no signal. */
export const stoppedBy = ({ reason }: AbortSignal): StopSignal | null =>
  typeof reason === 'string' && Object.hasOwn(EXIT_BY_SIGNAL, reason) ? (reason as StopSignal) : null;

/** For people: the signal's name, or the sentence that it was aborted with. */
export const stopWords = ({ reason }: AbortSignal): string => (typeof reason === 'string' ? reason : 'a signal');

/** What a process that was stopped exits with. */
export const stopExit = (stop: AbortSignal): (typeof EXIT_BY_SIGNAL)[StopSignal] =>
  EXIT_BY_SIGNAL[stoppedBy(stop) ?? 'SIGTERM'];

export const untilStopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
