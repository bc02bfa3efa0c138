// Logs a failed call if the service or the conversation caused the failure, before the call is processed further.

import {
  API_ERROR_VERSION,
  type ApiError,
  type FailedCallContext,
  type Response,
  type SentRequest,
} from '../../policies/api-errors/entry.ts';
import { headersTold, isApiFailure, UNLOGGED } from '../../policies/api-errors/failures.ts';
import { layOut, type Unmeasured } from '../../policies/api-errors/log-format.ts';
import type { EngineFailure } from '../../policies/facts/engine-event.ts';
import { ENDINGS, type EvidenceSource } from '../../policies/facts/evidence.ts';
import { redactValue } from '../../policies/redact/redactor.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { cut } from '../../policies/text/display.ts';
import { appendToLog } from '../../state/api-errors/append.ts';
import { LOG_NAME, logPlace, sessionLog } from '../../state/api-errors/place.ts';
import { loggedCalls } from '../../state/api-errors/read.ts';
import type { Exchange } from '../../wrappers/relay/exchange.ts';
import type { Outcome } from '../../wrappers/run.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { RecordableCall } from '../attempt/phases.ts';
import { type ClientError, clientError, lastEvents, takeSnapshot } from './failed-conversation.ts';
import { type KeptRequest, keepRequest } from './recorder.ts';

interface FailedCall {
  call: RecordableCall;
  attempt: Attempt;
  outcome: Outcome;
  record: CallRecord;
  runId: string | null;
  /** `perhaps_again`: the wrapper of the call died, and may have written this entry already. */
  again: 'first' | 'perhaps_again';
}

/** If the log cannot be written, the record gets a warning. The run and its verdict are not affected. @returns the record. */
export async function logApiFailure(failed: FailedCall): Promise<CallRecord> {
  const { call, record } = failed;
  const exchange = call.recorder?.exchange() ?? null;
  if (!isApiFailure(record.verdict, circumstancesOf(failed, exchange))) return record;
  let kept: Kept = { request: null, warnings: [] };
  const noted = (warnings: readonly string[]) => ({ ...record, warnings: [...record.warnings, ...warnings] });
  try {
    const { charge, call: invocation } = call.request;
    const place = logPlace(charge?.task ?? null, invocation.cwd, invocation.environment);
    if (place.how === 'none') return record;
    if (place.how === 'invalid') throw new Error(place.message);
    const { folder } = place;
    if (failed.again === 'perhaps_again' && loggedCalls(folder, call.startedAt).has(call.callId)) return record;
    const at = call.clock().toISOString();
    kept = keptRequest(failed, folder, exchange);
    const text = await entryOf(failed, at, kept.request);
    appendToLog(folder, `${LOG_NAME}.log`, text, call.clock);
    appendToLog(folder, sessionLog(at, record.tool, record.session_id), text, call.clock);
    return noted(kept.warnings);
  } catch (error) {
    return noted([...kept.warnings, `${UNLOGGED}: ${(error as Error).message}`]);
  }
}

/** If the request cannot be kept, the record gets a warning. The entry is written anyway. */
function keptRequest({ call, record }: FailedCall, folder: string, exchange: Exchange | null): Kept {
  if (exchange === null) return { request: null, warnings: [] };
  try {
    return { request: keepRequest(call, record, folder, exchange), warnings: [] };
  } catch (error) {
    return { request: null, warnings: [`the request that failed could not be kept: ${(error as Error).message}`] };
  }
}

interface Kept {
  request: KeptRequest | null;
  warnings: readonly string[];
}

function circumstancesOf({ outcome, record }: FailedCall, exchange: Exchange | null) {
  const { ending, capture } = outcome;
  const failure = failureOf(capture);
  // If the failure has another cause, an earlier status of the service does not explain it.
  const isEngines = ENGINES.has(record.verdict.evidence?.source ?? 'none');
  return {
    ending,
    status: failure?.status ?? (isEngines ? exchange?.response?.status : null) ?? null,
    named: failure?.type ?? failure?.code ?? null,
    said: failure !== null,
    hasBegun: [capture.sessionId, capture.turns, capture.usage.api_requests].some((sign) => sign !== null),
    answered: capture.tools > 0 || capture.answer !== '',
  };
}

const ENGINES: ReadonlySet<EvidenceSource> = new Set(['failure', 'error', 'none']);

const failureOf = ({ failure, errors, retrying }: Outcome['capture']): EngineFailure | null =>
  failure ?? errors.at(-1) ?? retrying;

async function entryOf(failed: FailedCall, at: string, kept: KeptRequest | null): Promise<string> {
  const { call, attempt, outcome, record } = failed;
  const common = contextOf(failed);
  // Some secrets of this call are not known here.
  if (call.withheld !== null) {
    const context = { ...common, request: { source: 'none' } as const };
    const error = { at, context, message: call.withheld, stack: null, response: NOTHING, before: [] };
    return layOut(error, { how: 'absent', why: call.withheld }, 'null');
  }
  const report = clientError(call.request.adapter, attempt);
  const { snapshot, data, before } = await takeSnapshot(call, record.session_id, report);
  const context = { ...common, request: sentOf(snapshot, kept) };
  const { redact } = call.redactor;
  const message = failureOf(outcome.capture)?.message || record.verdict.evidence?.text || ENDINGS[outcome.ending];
  const described: Described = {
    message,
    stack: report?.stack ?? null,
    response: completed(responseOf(outcome, attempt, report), kept?.response ?? {}),
    before: before.map(shortened),
  };
  const { value = NO_DETAILS } = parsed(redact(JSON.stringify(redactValue(described, redact))));
  return layOut({ at, context, ...value }, snapshot, data);
}

/** Keeps what the CLI reported about its failure, and fills missing fields from the exchange that the relay saw. */
function completed(described: Response, seen: Partial<Response>): Response {
  const missing = Object.entries(seen).filter(([name]) => (described[name as keyof Response] ?? null) === null);
  return { ...described, ...Object.fromEntries(missing) };
}

function sentOf(snapshot: Unmeasured, kept: KeptRequest | null): SentRequest {
  if (kept !== null) return { source: 'relay', file: kept.file };
  return { source: snapshot.how === 'read' ? snapshot.from : 'none' };
}

const NOTHING: Response = {
  status: null,
  code: null,
  type: null,
  details: null,
  headers: null,
  stderr: [],
  events: [],
};

/** Replaces the texts when a redaction pattern took too long on them. */
const NO_DETAILS = {
  message: '[withheld: a redaction pattern took too long]',
  stack: null,
  response: NOTHING,
  before: [],
};

type Described = Pick<ApiError, 'message' | 'stack' | 'response' | 'before'>;

/** If the whole text is withheld, it is still JSON, but not an object. */
function parsed(text: string): { value?: Described } {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { value: value as typeof NO_DETAILS } : {};
}

function contextOf({ call: failed, attempt, record, runId }: FailedCall): FailedCallContext {
  const { charge, call } = failed.request;
  const { verdict } = record;
  return {
    v: API_ERROR_VERSION,
    call_id: record.call_id,
    task: charge?.task.id ?? null,
    stage: charge?.stage ?? null,
    run_id: runId,
    tool: record.tool,
    cli_version: record.cli_version,
    model: record.model,
    session_id: record.session_id,
    ending: record.ending,
    attempt: attempt.folder,
    cwd: call.cwd,
    class: verdict.class ?? 'unknown',
    reason: verdict.reason,
    signature: record.signature,
    source: verdict.evidence?.source ?? null,
    rule: verdict.evidence?.rule ?? null,
  };
}

function responseOf({ capture, errorLines }: Outcome, { files }: Attempt, report: ClientError | null): Response {
  const failure = failureOf(capture);
  const stderr = errorLines.slice(0, MOST_LINES).map((line) => cut(line, MAX_CHARS));
  const events = lastEvents(files.stdout);
  const words = [failure?.message ?? '', failure?.details ?? '', report?.stack ?? '', ...stderr];
  return {
    status: failure?.status ?? null,
    code: failure?.code ?? null,
    type: failure?.type ?? null,
    details: failure?.details ?? null,
    headers: headersTold(events, words),
    stderr,
    events,
  };
}

const MOST_LINES = 20;
const MAX_CHARS = 4000;

const shortened = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, one) => (typeof one === 'string' ? cut(one, MAX_CHARS) : one));
