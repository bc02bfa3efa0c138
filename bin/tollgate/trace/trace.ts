// Implements tollgate trace: sends the runs of a task to an endpoint as OpenTelemetry traces, or shows them.

import { openTask } from '../../../loops/task/task.ts';
import { sender, withinMs } from '../../../loops/upkeep/export.ts';
import { readTraces } from '../../../loops/upkeep/traces.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { traceEndpoint } from '../../../policies/report/trace-endpoint.ts';
import type { TraceSpan } from '../../../policies/report/trace-span.ts';
import { counted, oneLine } from '../../../policies/text/display.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';

const SPEC: CommandSpec = {
  name: 'tollgate trace',
  usage: 'TASK [--endpoint URL] [--last] [--content] [--dry-run]',
  about:
    'Sends the runs of a task as OpenTelemetry traces (runs, stages, calls; verdicts, decisions and gates as events on them) to an endpoint of OTLP over HTTP. Where OTEL_EXPORTER_OTLP_ENDPOINT is set, each run sends its own at its end. Secrets are removed; prompts and answers are not sent.',
  flags: {
    endpoint: {
      takes: 'text',
      about: 'the address of the collector, such as http://localhost:4318; default: OTEL_EXPORTER_OTLP_ENDPOINT',
    },
    last: { takes: 'nothing', about: 'only the last run' },
    content: {
      takes: 'nothing',
      about: 'also send prompts and answers, without secrets, each cut after 32,000 characters',
    },
    'dry-run': { takes: 'nothing', about: 'show what would be sent, and send nothing' },
  },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate trace fix-login --dry-run', 'the spans as a tree; --json for all that they say'],
    ['tollgate trace fix-login --endpoint http://localhost:4318', 'send them; once more does no harm'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'sent, or shown'],
    [TOLLGATE_EXIT.failure, 'the endpoint did not take them; it is named'],
    [TOLLGATE_EXIT.badInput, 'usage, no such task, no endpoint, or state that cannot be read'],
  ],
};

const TIMEOUT_MS = 10_000;

const badInput = badInputOf('tollgate trace');

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const isDry = given.has('dry-run');
  const endpoint = traceEndpoint(text.endpoint ?? null, process.env);
  if (endpoint.how === 'invalid') return badInput(endpoint.message);
  if (endpoint.how === 'none' && !isDry)
    return badInput(
      'no endpoint: use --endpoint URL, or set OTEL_EXPORTER_OTLP_ENDPOINT; --dry-run shows what would be sent',
    );
  const environment = process.env;
  const looking = { word: words[0]!, cwd: process.cwd(), environment, clock: () => new Date() };
  const spans: TraceSpan[] = [];
  let runs: number;
  try {
    const opened = await openTask({ ...looking, trustWorkspace: false }, 'look');
    if (opened.how === 'invalid') return badInput(opened.message);
    const traces = readTraces(opened.open, given.has('content') ? 'included' : 'omitted');
    const chosen = given.has('last') ? traces.slice(-1) : traces;
    runs = chosen.length;
    spans.push(...chosen.flatMap((one) => one.spans));
  } catch (error) {
    if (error instanceof JournalError) return badInput(error.message);
    throw error;
  }
  const shown = endpoint.how === 'found' ? endpoint.shown : null;
  const answer = { schema: 1, task: words[0]!, endpoint: shown, traces: runs, spans };
  if (isDry || endpoint.how === 'none' || spans.length === 0) {
    const out = given.has('json') ? `${JSON.stringify({ ...answer, sent: false })}\n` : traceTree(spans);
    return { exit: TOLLGATE_EXIT.ok, out };
  }
  const sent = await (await sender()).sendTraces({
    spans,
    url: endpoint.url,
    timeoutMs: withinMs(TIMEOUT_MS, environment),
    environment,
    stop,
  });
  if (sent.how === 'failed')
    return {
      exit: TOLLGATE_EXIT.failure,
      err: `${oneLine(`tollgate trace: ${shown} did not take the traces: ${sent.why}; nothing is lost, the same command sends them again`)}\n`,
    };
  const line = `Sent ${spans.length} spans in ${counted(runs, 'trace')} to ${shown}\n`;
  return { exit: TOLLGATE_EXIT.ok, out: given.has('json') ? `${JSON.stringify({ ...answer, sent: true })}\n` : line };
}

/** Renders the spans of traces as a tree: name, duration and failure. */
function traceTree(spans: readonly TraceSpan[]): string {
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
