// Sends traces: of a task on request, and of each run at its end if the environment names an endpoint.

import { sendsByItself, traceEndpoint } from '../../policies/report/trace-endpoint.ts';
import type { TraceSpan } from '../../policies/report/trace-span.ts';
import type { RunContext, RunSettings } from '../task/run-context.ts';
import { openTask } from '../task/task.ts';
import { readTraces } from './traces.ts';

/** The maximum delay of a run's end. A collector nearby answers in a hundredth of it. */
const END_MS = 2000;

/** OpenTelemetry's packages are loaded only if something is sent. */
export const sender = () => import('./send-spans.ts');

interface Ended {
  /** The tasks. */
  words: readonly string[];
  /** Traces without any event since this time are not sent again. */
  since: Date;
  options: { trustWorkspace: boolean };
  context: RunContext;
}

/** @param since when it began. */
export async function traceEnd(words: readonly string[], since: Date, settings: RunSettings): Promise<void> {
  if (sendsByItself(settings.context.environment)) await exportEnded({ ...settings, words, since });
}

/** The export does not affect the result of the run. A failure to send is only reported. */
async function exportEnded({ words, since, options, context }: Ended): Promise<void> {
  const { environment, say, stop } = context;
  if (stop.aborted) return;
  const endpoint = traceEndpoint(null, environment);
  if (endpoint.how === 'none') return;
  const again = 'tollgate trace TASK sends them later';
  if (endpoint.how === 'invalid') return say(`no traces were sent: ${endpoint.message}; ${again}`);
  try {
    const spans: TraceSpan[] = [];
    for (const word of words) {
      const opened = await openTask({ ...context, ...options, word }, 'look');
      if (opened.how === 'invalid') continue;
      const traces = readTraces(opened.open, 'omitted').filter(({ lastAt }) => Date.parse(lastAt) >= since.getTime());
      spans.push(...traces.flatMap((one) => one.spans));
    }
    if (spans.length === 0) return;
    const sent = await (await sender()).sendTraces({
      spans,
      url: endpoint.url,
      timeoutMs: withinMs(END_MS, environment),
      environment,
      stop,
    });
    if (sent.how === 'failed') say(`the traces were not sent to ${endpoint.shown}: ${sent.why}; ${again}`);
  } catch (error) {
    say(`the traces were not sent to ${endpoint.shown}: ${(error as Error).message}; ${again}`);
  }
}

/** Returns the maximum time, or less if the user sets less. */
export function withinMs(most: number, environment: NodeJS.ProcessEnv): number {
  const said = Number(environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || environment.OTEL_EXPORTER_OTLP_TIMEOUT);
  return said > 0 ? Math.min(most, said) : most;
}
