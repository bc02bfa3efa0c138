// Exports traces: of a task when it is asked for, and of each run at its end where the environment names an endpoint.

import { traceEndpoint } from '../../policies/trace/endpoint.ts';
import type { TraceSpan } from '../../policies/trace/span.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import { openTask } from '../task/task.ts';
import { readTraces } from './read-traces.ts';

/** The end of a run is not held up for longer; a collector nearby answers in a hundredth of it. */
const END_MS = 2000;

interface Ended {
  /** The tasks. */
  words: readonly string[];
  /** Traces of which nothing has happened since are not sent again. */
  since: Date;
  options: Pick<RunOptions, 'trustWorkspace'>;
  context: Pick<RunContext, 'cwd' | 'environment' | 'clock' | 'stop' | 'say'>;
}

/** Whatever comes of it, the run is as it is. What could not be sent is said, and nothing more. */
export async function exportEnded({ words, since, options, context }: Ended): Promise<void> {
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
      const traces = readTraces(opened.open, 'kept_here').filter(({ lastAt }) => Date.parse(lastAt) >= since.getTime());
      spans.push(...traces.flatMap((one) => one.spans));
    }
    if (spans.length === 0) return;
    const { sendTraces } = await import('./send.ts');
    const sent = await sendTraces({
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

/** As long as may be waited, or less where the user says so. */
export function withinMs(most: number, environment: NodeJS.ProcessEnv): number {
  const said = Number(environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || environment.OTEL_EXPORTER_OTLP_TIMEOUT);
  return said > 0 ? Math.min(most, said) : most;
}
