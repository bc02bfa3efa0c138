// Records the requests of a call: routes them through a relay, and writes a failed one into a file beside the log.

import type { Response } from '../../policies/api-errors/entry.ts';
import {
  keptHeaders,
  keptUrl,
  RECORDED_VERSION,
  type RecordedExchange,
  type RecordedMessage,
} from '../../policies/api-errors/recorded-request.ts';
import { type Redactor, redactValue } from '../../policies/redact/redactor.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { cut } from '../../policies/text/display.ts';
import { logPlace, writeRequest } from '../../state/api-errors/place.ts';
import { isSystemError } from '../../state/system-error.ts';
import { bodyText } from '../../wrappers/relay/body-text.ts';
import { BEYOND_BYTES, type Exchange, type KeptBody, type RawHeaders } from '../../wrappers/relay/exchange.ts';
import { standAside } from '../../wrappers/relay/reach.ts';
import { startRelay } from '../../wrappers/relay/relay.ts';
import type { BegunCall, RecordableCall, Recorder } from '../attempt/phases.ts';

type Opened = { how: 'opened'; recorder: Recorder } | { how: 'failed'; warning: string };

/** A CLI may not support a relay. Then a warning in the record says why. Makes no request to the service. */
export async function openRecorder({ request }: BegunCall, stop: AbortSignal): Promise<Opened> {
  const { adapter, call, charge } = request;
  const without = (why: string) =>
    ({ how: 'failed', warning: `no request is recorded (--record-requests): ${why}` }) as const;
  const place = logPlace(charge?.task ?? null, call.cwd, call.environment);
  if (place.how === 'none')
    return without('a call without a task has a log only where there is a .tmp/state; make it, or give --task');
  const route = (await adapter.route())(call);
  if (route.how === 'fixed') return without(route.because);
  const aside = await standAside(route.upstream, call.environment, stop);
  if (aside !== null) return without(aside);
  try {
    const relay = await startRelay(new URL(route.upstream));
    const directed: Recorder['directed'] = (overlay) => route.through(relay.url, overlay);
    return { how: 'opened', recorder: { directed, exchange: relay.relevantExchange, close: relay.close } };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return without(`the relay could not be started (${error.message})`);
  }
}

export interface KeptRequest {
  file: string;
  /** The part of the response that the log entry itself contains. */
  response: Partial<Response>;
}

/** Writes a request as the relay saw it: redacted, and without credentials. Throws the errors of the operating system. */
export function keepRequest(
  { redactor, clock }: RecordableCall,
  { call_id, tool, session_id }: CallRecord,
  folder: string,
  exchange: Exchange,
): KeptRequest {
  const { method, url, request, response, end, error } = exchange;
  const recorded: RecordedExchange = {
    v: RECORDED_VERSION,
    call_id,
    tool,
    session_id,
    request: { method, url: redactor.redact(keptUrl(url)), ...messageOf(request, redactor) },
    response: response && { status: response.status, ...messageOf(response, redactor) },
    end,
    error,
  };
  const file = writeRequest(folder, clock(), tool, call_id, `${JSON.stringify(recorded, null, 2)}\n`);
  return { file, response: recorded.response === null ? {} : inEntry(recorded.response) };
}

function messageOf(
  { headers: raw, body }: { headers: RawHeaders; body: KeptBody },
  redactor: Redactor,
): RecordedMessage {
  const { headers, leftOut } = keptHeaders(raw);
  return {
    headers: redactValue(headers, redactor.redact) as RecordedMessage['headers'],
    left_out: leftOut,
    bytes: body.bytes,
    ...textOf(body, raw, redactor),
  };
}

function textOf(
  body: KeptBody,
  headers: RawHeaders,
  { redact }: Redactor,
): { body: string | null; less: string | null } {
  const read = bodyText(body, headers);
  if (read.how === 'failed') return { body: null, less: read.why };
  const text = redact(read.text);
  if (!read.cut) return { body: text, less: body.whole ? null : 'it was broken off' };
  // Half a secret at the very end would not be recognised as one.
  return { body: text.slice(0, -BEYOND_BYTES), less: `the beginning of ${body.bytes} bytes` };
}

const inEntry = ({ status, headers, body }: RecordedMessage & { status: number }): Partial<Response> => ({
  status,
  headers,
  ...(body === null ? {} : { body: cut(body, MOST_CHARS) }),
});

/** The file contains the whole body. */
const MOST_CHARS = 16_000;
