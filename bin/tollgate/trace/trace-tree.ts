// The spans of traces as a tree: what, how long, and what failed.

import { oneLine } from '../../../policies/text/one-line.ts';
import type { TraceSpan } from '../../../policies/trace/span.ts';

export function traceTree(spans: readonly TraceSpan[]): string {
  if (spans.length === 0) return 'no run of it is known\n';
  const lines = spans
    .filter(({ parent_id }) => parent_id === null)
    .flatMap((root) => [`trace ${root.trace_id}`, ...linesOf(root, spans, 1)]);
  return `${lines.join('\n')}\n`;
}

function linesOf(span: TraceSpan, spans: readonly TraceSpan[], depth: number): string[] {
  const seconds = (Date.parse(span.ended_at) - Date.parse(span.started_at)) / 1000;
  const events = span.events.map(({ name }) => name);
  const rest = [
    `${seconds.toFixed(1)} s`,
    ...(span.error === null ? [] : [span.error]),
    ...(events.length === 0 ? [] : [`(${events.join(', ')})`]),
  ];
  const below = spans.filter(({ parent_id, trace_id }) => parent_id === span.span_id && trace_id === span.trace_id);
  return [
    `${'  '.repeat(depth)}${oneLine(`${span.name} ${rest.join(' ')}`)}`,
    ...below.flatMap((one) => linesOf(one, spans, depth + 1)),
  ];
}
