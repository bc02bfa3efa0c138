// Reads the traces of a task from its journal and records, without secrets and without control characters for a terminal.

import path from 'node:path';
import type { CallTexts, SpanEvent, TraceSpan, TraceValue } from '../../policies/report/trace-span.ts';
import { visible } from '../../policies/text/display.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import { journalLines } from '../../state/journal/journal.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { findRecord } from '../../state/usage.ts';
import type { OpenTask } from '../task/task.ts';
import { type Trace, tracesOf } from './traces.ts';

/** @param content whether prompts and answers are included. */
export function readTraces(
  open: Pick<OpenTask, 'task' | 'journal' | 'hide'>,
  content: 'omitted' | 'included',
): Trace[] {
  const { task, journal, hide } = open;
  const shown = (text: string) => visible(hide(text));
  // Redacted before it is cut or encoded as JSON, where a secret or an escape would have another form.
  const textIn = (file: string): string | null => {
    const text = readIfFit(file);
    return text === null ? null : cut(shown(text));
  };
  const textsOf = ({ reserved: { call_id, stage, tool } }: Call): CallTexts => ({
    prompt: textIn(path.join(task.attempts, call_id, 'prompt')),
    answer: isLastOf(call_id, stage, tool) ? textIn(path.join(task.outputs, `${stage}.${tool}.out`)) : null,
  });
  const isLastOf = (callId: string, stage: string, tool: string): boolean =>
    (readIfFit(path.join(task.outputs, `${stage}.${tool}.call.json`)) ?? '').includes(JSON.stringify(callId));
  const traces = tracesOf({
    taskId: task.id,
    lines: journalLines(task.root),
    ledger: journal.read().ledger,
    recordOf: (call) => findRecord(task, call),
    textsOf: (call) => (content === 'included' ? textsOf(call) : null),
  });
  return traces.map(({ lastAt, spans }) => ({ lastAt, spans: spans.map((span) => shownSpan(span, shown)) }));
}

/** No backend accepts more in one attribute. */
const MAX_CHARS = 32_000;

const cut = (text: string): string =>
  text.length <= MAX_CHARS
    ? text
    : `${text.slice(0, MAX_CHARS)}\n[cut after ${MAX_CHARS} of ${text.length} characters]`;

type Shown = (text: string) => string;

const shownSpan = (span: TraceSpan, shown: Shown): TraceSpan => ({
  ...span,
  name: shown(span.name),
  attributes: shownAll(span.attributes, shown),
  events: span.events.map((event): SpanEvent => ({ ...event, attributes: shownAll(event.attributes, shown) })),
});

const shownAll = (attributes: Record<string, TraceValue>, shown: Shown): Record<string, TraceValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, shownValue(value, shown)]));

function shownValue(value: TraceValue, shown: Shown): TraceValue {
  if (typeof value === 'string') return shown(value);
  return typeof value === 'object' ? value.map(shown) : value;
}
