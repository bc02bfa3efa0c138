// A span of a trace: what took its time, within what, and what happened on the way.

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
  /** null of a trace's first one. */
  parent_id: string | null;
  name: string;
  /** `client`: somebody else's program was asked. */
  kind: 'internal' | 'client';
  started_at: string;
  ended_at: string;
  attributes: Record<string, TraceValue>;
  events: SpanEvent[];
  /** Class and reason of what failed. */
  error: string | null;
}
