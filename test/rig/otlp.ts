// Receives traces on the loopback: the spans by name, with their attributes as plain values.

import { openReceiver, type Receiver } from './receiver.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
}

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

interface Body {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<SentSpan, 'attributes' | 'events'> & Raw)[] }[];
  }[];
}

interface Raw {
  attributes: KeyValue[];
  events: { name: string; attributes: KeyValue[] }[];
}

export interface Collector extends Receiver {
  /** The address that its users configure. */
  endpoint: string;
  spans(): SentSpan[];
  resource(): Record<string, unknown>;
}

export async function openCollector(answer?: Parameters<typeof openReceiver>[0]): Promise<Collector> {
  const receiver = await openReceiver(answer);
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Body);
  return {
    ...receiver,
    endpoint: new URL(receiver.url).origin,
    resource: () => plain(bodies()[0]!.resourceSpans[0]!.resource.attributes),
    spans: () =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(({ attributes, events, ...rest }) => ({
          ...rest,
          attributes: plain(attributes),
          events: events.map((event) => ({ name: event.name, attributes: plain(event.attributes) })),
        })),
  };
}

const plain = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
