// Makes traces of run, stage and call from a task's journal and records; verdicts, decisions and checks are events on them.

import path from 'node:path';
import type { CallRecord } from '../../policies/report/call-record.ts';
import {
  type CallTexts,
  callAttributes,
  errorAttributes,
  known,
  spanIdOf,
  type TraceSpan,
  type TraceValue,
  traceIdOf,
  workflowAttributes,
} from '../../policies/report/trace-span.ts';
import { visible } from '../../policies/text/display.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { JournalLine } from '../../state/journal/facts.ts';
import { journalLines } from '../../state/journal/journal.ts';
import type { Call, Ledger } from '../../state/journal/ledger.ts';
import { findRecord } from '../../state/usage.ts';
import type { OpenTask } from '../task/task.ts';

interface Trace {
  /** The time of its last fact. */
  lastAt: string;
  spans: TraceSpan[];
}

/** Reads a task's traces, safe for a terminal and without secrets. @param content: also prompts and answers. */
export function readTraces(open: OpenTask, content: 'omitted' | 'included'): Trace[] {
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

interface TraceSource {
  taskId: string;
  lines: readonly JournalLine[];
  ledger: Ledger;
  recordOf(call: Call): CallRecord | null;
  /** Returns null if the texts must not be exported. */
  textsOf(call: Call): CallTexts | null;
}

interface Growing extends Trace {
  root: TraceSpan;
  stage: TraceSpan | null;
}

/** The same journal gives the same traces with the same ids. */
function tracesOf(source: TraceSource): Trace[] {
  const { taskId, lines, ledger } = source;
  const traces = new Map<string, Growing>();
  const calls = new Map<string, { trace: Growing; span: TraceSpan; stage: TraceSpan | null }>();
  let running: Growing | null = null;
  for (const line of lines) {
    switch (line.fact) {
      case 'claimed': {
        if (traces.has(line.run_id)) break;
        running = opened(line.run_id, spanOf(line.run_id, 'run', `invoke_workflow ${taskId}`, line.at));
        Object.assign(running.root.attributes, workflowAttributes(taskId), {
          'tollgate.task.id': taskId,
          'tollgate.run.id': line.run_id,
        });
        traces.set(line.run_id, running);
        break;
      }
      case 'released': {
        const trace = traces.get(line.run_id);
        if (trace === undefined) break;
        Object.assign(trace.root.attributes, { 'tollgate.state': line.state, 'tollgate.exit_code': line.exit_code });
        if (line.exit_code !== 0 && line.state !== 'parked') trace.root.error = lastErrorOf(trace) ?? line.state;
        touch(trace, line.at, trace.root);
        if (running === trace) running = null;
        break;
      }
      case 'reserved': {
        const call = ledger.calls.get(line.call_id);
        if (call?.granted !== true || calls.has(line.call_id)) break;
        calls.set(line.call_id, callIn(source, call, { traces, calls }));
        break;
      }
      default:
        noteEvent(line, running, traces, calls);
    }
  }
  for (const { root, spans } of traces.values()) for (const span of spans) finish(span, root);
  return [...traces.values()].map(({ lastAt, spans }) => ({ lastAt, spans }));
}

const opened = (_: string, root: TraceSpan): Growing => ({ root, stage: null, lastAt: root.started_at, spans: [root] });

const spanOf = (rootId: string, what: string, name: string, at: string): TraceSpan => ({
  trace_id: traceIdOf(rootId),
  span_id: spanIdOf(rootId, what),
  parent_id: null,
  name,
  kind: 'internal',
  started_at: at,
  ended_at: at,
  attributes: {},
  events: [],
  error: null,
});

interface Known {
  traces: Map<string, Growing>;
  calls: Map<string, { trace: Growing; span: TraceSpan; stage: TraceSpan | null }>;
}

/** Puts a call into its stage. A call that an agent made goes into its caller's span; a call by hand is its own trace. */
function callIn(source: TraceSource, call: Call, { traces, calls }: Known) {
  const { call_id, run_id, stage, tool, attempt, within, at } = call.reserved;
  const outer = within === undefined ? undefined : calls.get(within);
  const trace = outer?.trace ?? (run_id === null ? undefined : traces.get(run_id));
  const record = source.recordOf(call);
  const span = spanOf(call_id, 'call', `invoke_agent ${tool}`, at);
  const home = trace ?? opened(call_id, span);
  if (trace === undefined) traces.set(call_id, home);
  else {
    const parent = outer?.span ?? stageIn(trace, stage, at);
    Object.assign(span, { trace_id: trace.root.trace_id, parent_id: parent.span_id });
    trace.spans.push(span);
  }
  span.kind = 'client';
  span.attributes = {
    ...callAttributes(tool, record, source.textsOf(call)),
    ...known({
      'tollgate.task.id': source.taskId,
      'tollgate.call.id': call_id,
      'tollgate.stage': stage,
      'tollgate.attempt': attempt,
    }),
  };
  const ended = call.ended?.at ?? call.verdict?.at ?? null;
  if (ended !== null) touch(home, ended, span);
  touch(home, at, span);
  return { trace: home, span, stage: trace === undefined || outer !== undefined ? null : home.stage };
}

/** Stages follow one another. A stage that comes again later, as a worker's may, gets another span. */
function stageIn(trace: Growing, stage: string, at: string): TraceSpan {
  const name = `stage ${stage}`;
  if (trace.stage?.name === name) return trace.stage;
  const nth = trace.spans.filter((span) => span.name === name).length;
  const { trace_id, span_id } = trace.root;
  const span = { ...spanOf(span_id, `${name} ${nth}`, name, at), trace_id, parent_id: span_id };
  span.attributes = { 'tollgate.stage': stage };
  trace.stage = span;
  trace.spans.push(span);
  return span;
}

/** Adds the event to its call, otherwise to its stage, otherwise to the run. */
function noteEvent(line: JournalLine, running: Growing | null, traces: Known['traces'], calls: Known['calls']): void {
  const event = traceEvent(line);
  if (event === null) return;
  const call = 'call_id' in line && line.call_id !== null ? calls.get(line.call_id) : undefined;
  const trace = call?.trace ?? ('run_id' in line ? traces.get(line.run_id as string) : running) ?? null;
  if (trace === null) return;
  const isOfStage = event.on === 'stage' && 'stage' in line;
  const stage = isOfStage ? (call?.stage ?? stageNamed(trace, line.stage as string)) : null;
  const span = (event.on === 'call' ? call?.span : stage) ?? trace.root;
  span.events.push({ name: event.name, at: line.at, attributes: event.attributes as Record<string, TraceValue> });
  if (event.error !== undefined) {
    span.error = event.error;
    if (event.on === 'call' && call?.stage) call.stage.error = event.error;
  }
  // A later settlement does not count towards the call's duration.
  if (event.on !== 'call') touch(trace, line.at, span);
  else {
    trace.lastAt = later(trace.lastAt, line.at);
    if (call?.stage && call.trace === running) touch(trace, line.at, call.stage);
  }
}

const stageNamed = (trace: Growing, stage: string): TraceSpan | null =>
  trace.spans.findLast(({ name }) => name === `stage ${stage}`) ?? null;

function touch(trace: Growing, at: string, ...spans: TraceSpan[]): void {
  trace.lastAt = later(trace.lastAt, at);
  for (const span of new Set([
    ...spans,
    ...(trace.stage !== null && spans[0]?.kind === 'client' ? [trace.stage] : []),
    trace.root,
  ]))
    span.ended_at = later(span.ended_at, at);
}

const later = (one: string, other: string): string => (Date.parse(other) > Date.parse(one) ? other : one);

const lastErrorOf = ({ spans }: Growing): string | null => spans.findLast(({ error }) => error !== null)?.error ?? null;

function finish(span: TraceSpan, root: TraceSpan): void {
  if (span === root && !('tollgate.state' in span.attributes) && span.kind === 'internal')
    span.attributes['tollgate.state'] = 'not_ended';
  Object.assign(span.attributes, errorAttributes(span.error));
}

interface TraceEvent {
  name: string;
  on: 'call' | 'stage' | 'run';
  attributes: Record<string, TraceValue>;
  /** The error of the event's span; null: earlier failures no longer count. */
  error?: string | null;
}

/** Returns null for a fact that a trace shows in another form, or not at all. */
function traceEvent(line: JournalLine): TraceEvent | null {
  switch (line.fact) {
    case 'verdict': {
      const { class: errorClass, reason, signature, retry_at, exit_code } = line;
      const error = errorOf(errorClass, reason);
      const attributes = known({ ...verdictOf(line), signature, retry_at, exit_code });
      return { name: 'verdict', on: 'call', attributes: ours(attributes), error };
    }
    case 'gate': {
      const { passed, missing, class: errorClass, reason, signature } = line;
      const attributes = ours(known({ ...verdictOf(line), passed, missing, signature, said: line.verdict }));
      return {
        name: 'gate',
        on: 'stage',
        attributes,
        ...(passed ? {} : { error: errorOf(errorClass, reason) ?? 'gate' }),
      };
    }
    case 'decided': {
      const { action, why, wait_ms } = line;
      return { name: 'decision', on: 'stage', attributes: ours({ action, why, wait_ms }) };
    }
    case 'done':
      return { name: 'done', on: 'stage', attributes: {}, error: null };
    case 'kept':
    case 'reopened':
      return { name: line.fact, on: 'run', attributes: ours({ stage: line.stage }) };
    case 'budget':
      return { name: 'budget', on: 'run', attributes: ours({ calls: line.calls, from: line.from }) };
    case 'reasoned':
      return { name: 'reasoned', on: 'run', attributes: ours({ action: line.action }) };
    case 'left':
      return { name: 'left', on: 'run', attributes: ours({ how: line.how }) };
    default:
      return null;
  }
}

const verdictOf = ({ class: errorClass, reason }: { class: string | null; reason: string | null }) => ({
  class: errorClass ?? 'success',
  reason,
});

const errorOf = (errorClass: string | null, reason: string | null): string | null =>
  errorClass === null ? null : `${errorClass}/${reason ?? 'unknown'}`;

const ours = (attributes: Record<string, TraceValue>): Record<string, TraceValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`tollgate.${name}`, value]));

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
  events: span.events.map((event) => ({ ...event, attributes: shownAll(event.attributes, shown) })),
});

const shownAll = (attributes: Record<string, TraceValue>, shown: Shown): Record<string, TraceValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, shownValue(value, shown)]));

function shownValue(value: TraceValue, shown: Shown): TraceValue {
  if (typeof value === 'string') return shown(value);
  return typeof value === 'object' ? value.map(shown) : value;
}
