// Sends the traces of what has just ended if the environment names an endpoint; otherwise loads nothing.

import { sendsByItself } from '../../policies/report/trace-endpoint.ts';
import type { RunSettings } from '../task/run-context.ts';

/** @param since when it began. */
export async function traceEnd(words: readonly string[], since: Date, settings: RunSettings): Promise<void> {
  if (!sendsByItself(settings.context.environment)) return;
  const { exportEnded } = await import('./export.ts');
  await exportEnded({ ...settings, words, since });
}
