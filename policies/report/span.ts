// Defines a span of a trace: what took time, in which parent, and its events.

export type TraceValue = string | number | boolean | readonly string[];

export interface SpanEvent {
  name: string;
  /** ISO time. */
  at: string;
  attributes: Record<string, TraceValue>;
}

export interface TraceSpan {
  trace_id: string;
  span_id: string;
  /** null for the first span of a trace. */
  parent_id: string | null;
  name: string;
  /** `client`: another program was called. */
  kind: 'internal' | 'client';
  started_at: string;
  ended_at: string;
  attributes: Record<string, TraceValue>;
  events: SpanEvent[];
  /** Class and reason of the failure. */
  error: string | null;
}
