// Sends spans to an OTLP endpoint over HTTP within a time limit (the only door to OpenTelemetry's SDK, loaded on demand).

import http, { type Agent } from 'node:http';
import https from 'node:https';
import { diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { TraceSpan } from '../../policies/report/trace-span.ts';
import { readFollowedBytes } from '../../state/disk/regular-file.ts';

type SentTraces = { how: 'sent' } | { how: 'failed'; why: string };

interface Sending {
  spans: readonly TraceSpan[];
  url: string;
  /** For the whole export. */
  timeoutMs: number;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
}

/** Per request. A backend accepts some megabytes. */
const SPANS_A_REQUEST = 500;

/** Headers, compression and the resource are set by OpenTelemetry's own variables, which its packages read. */
export async function sendTraces({ spans, url, timeoutMs, environment, stop }: Sending): Promise<SentTraces> {
  let end = (_: SentTraces) => {};
  const over = new Promise<SentTraces>((resolve) => {
    end = resolve;
  });
  const late = () => end({ how: 'failed', why: `no answer within ${timeoutMs / 1000} s` });
  const stopped = () => end({ how: 'failed', why: 'stopped' });
  const timer = setTimeout(late, timeoutMs);
  stop.addEventListener('abort', stopped, { once: true });
  const connections = openConnections(environment);
  const { agentFor: httpAgentOptions } = connections;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, httpAgentOptions });
  let rejected = 0;
  const count = (more: number) => {
    rejected += more;
  };
  listeners.add(count);
  try {
    const ready = readable(spans);
    for (let i = 0; i < ready.length; i += SPANS_A_REQUEST) {
      const sent = await Promise.race([over, exported(exporter, ready.slice(i, i + SPANS_A_REQUEST))]);
      if (sent.how === 'failed') return sent;
    }
    return rejected === 0
      ? { how: 'sent' }
      : { how: 'failed', why: `it rejected ${rejected} of ${spans.length} spans` };
  } finally {
    listeners.delete(count);
    connections.end();
    clearTimeout(timer);
    stop.removeEventListener('abort', stopped);
  }
}

const exported = (exporter: OTLPTraceExporter, spans: ReadableSpan[]): Promise<SentTraces> =>
  new Promise((resolve) =>
    exporter.export(spans, ({ error, code }) =>
      resolve(
        code === 0 ? { how: 'sent' } : { how: 'failed', why: error === undefined ? 'it was not taken' : whyOf(error) },
      ),
    ),
  );

/** Receive the number of spans that a response rejects. */
const listeners = new Set<(rejected: number) => void>();

const { warn } = diag;

/** The exporter takes such a response for a success, and only logs it, to the logger of this bundle. */
diag.warn = (message, ...rest) => {
  const [response] = rest;
  if (message !== 'Received Partial Success response:' || typeof response !== 'string') return warn(message, ...rest);
  // A number of 64 bits is a text in JSON.
  const { rejectedSpans = 0 } = JSON.parse(response) as { rejectedSpans?: number | string };
  for (const listener of listeners) listener(Number(rejectedSpans) || 0);
};

/** The exporter's message for 429, 502, 503 and 504 when no time remains for another try. It does not contain the status. */
const RETRYABLE = 'Export failed with retryable status';

/** The endpoint's response is not repeated, because it may contain the data that was sent. */
function whyOf(error: Error & { code?: number | string }): string {
  if (typeof error.code === 'number')
    return error.code >= 300 && error.code < 400
      ? `it answers ${error.code}, which leads elsewhere and is not followed`
      : `it answers ${error.code}`;
  if (error.message === RETRYABLE) return 'it is overloaded or not ready, and asks for another time';
  return typeof error.code === 'string' ? error.code : error.message;
}

/** Uses our own ids, so that a receiver recognises a run that is sent twice. */
function readable(spans: readonly TraceSpan[]): ReadableSpan[] {
  let next = { trace_id: '', span_id: '' };
  const ended: ReadableSpan[] = [];
  const provider = new BasicTracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tollgate' }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => next.trace_id, generateSpanId: () => next.span_id },
    spanLimits: { eventCountLimit: MOST_EVENTS, attributeCountLimit: MOST_EVENTS },
    spanProcessors: [
      {
        onStart() {},
        onEnd: (span) => void ended.push(span),
        forceFlush: async () => {},
        shutdown: async () => {},
      },
    ],
  });
  const tracer = provider.getTracer('tollgate');
  for (const span of spans) {
    next = span;
    const { trace_id: traceId, parent_id: spanId } = span;
    const parent =
      spanId === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
    const { name, attributes, started_at, error } = span;
    const made = tracer.startSpan(
      name,
      { kind: KINDS[span.kind], attributes: attributesOf(attributes), startTime: new Date(started_at) },
      parent,
    );
    for (const event of span.events) made.addEvent(event.name, attributesOf(event.attributes), new Date(event.at));
    if (error !== null) made.setStatus({ code: SpanStatusCode.ERROR, message: error });
    made.end(new Date(span.ended_at));
  }
  return ended;
}

const MOST_EVENTS = 10_000;

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const satisfies Record<
  TraceSpan['kind'],
  SpanKind
>;

const attributesOf = (attributes: TraceSpan['attributes']): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );

/** One export's connections, with the certificates of OpenTelemetry's variables; all are closed with it. */
interface Connections {
  /** In the form that the exporter requires. */
  agentFor(protocol: string): Promise<Agent>;
  end(): void;
}

/** Throws a description of what is wrong with a named certificate. */
function openConnections(environment: NodeJS.ProcessEnv): Connections {
  const agents: Agent[] = [];
  const fileOf = (name: string): Buffer | undefined => {
    const file = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`];
    return file ? readFollowedBytes(file) : undefined;
  };
  return {
    async agentFor(protocol) {
      const agent =
        protocol === 'https:'
          ? new https.Agent({
              ca: fileOf('CERTIFICATE'),
              cert: fileOf('CLIENT_CERTIFICATE'),
              key: fileOf('CLIENT_KEY'),
            })
          : new http.Agent();
      agents.push(agent);
      return agent;
    },
    end() {
      for (const agent of agents) agent.destroy();
    },
  };
}
