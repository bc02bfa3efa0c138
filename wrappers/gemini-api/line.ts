// One request to the service and its whole answer; every way in which it can fail is a ServiceFailure, and none names the key.

import type { ServiceRefusal } from '../../policies/distill/service.ts';
import { cut, oneLine } from '../../policies/text/display.ts';
import { listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { ServiceFailure } from './document-service.ts';

export interface Line {
  key: string;
  /** The service is given up when nothing is heard of it for this long. */
  maxSilenceMs: number;
}

interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

/** Finds the whole answer in what arrived before the connection failed; null if it is not whole. */
type WholeIn = (arrived: string) => string | null;

/** Throws ServiceFailure for whatever is no 2xx, and the signal's reason once it is aborted before an answer is whole. */
export async function send(
  line: Line,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
  wholeIn: WholeIn = () => null,
): Promise<Answered> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const arrived: Uint8Array[] = [];
  let answering: Response | null = null;
  const end = () => ended.abort();
  const silence = setTimeout(end, line.maxSilenceMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    // A redirect would take the key along to another host.
    const response = await fetch(url, { ...init, signal: ended.signal, redirect: 'manual' });
    answering = response;
    await read(response, arrived, () => void silence.refresh());
    const text = textOfBytes(arrived);
    if (!response.ok) throw refused(line, response, text);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    // A whole answer is paid for, however its connection ends.
    const text = answering?.ok && !(error instanceof ServiceFailure) ? wholeIn(textOfBytes(arrived)) : null;
    if (answering !== null && text !== null) return { status: answering.status, headers: answering.headers, text };
    signal.throwIfAborted();
    throw error instanceof ServiceFailure ? error : broken(error, new URL(url).host, ended.signal.aborted, line);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
  }
}

/** For what the service said in other ways, such as an error in the middle of a stream. */
export function refusalIn(line: Line, status: number, body: string, retryAfter: string | null): ServiceFailure {
  const text = withoutKey(line, cut(body, MAX_TOLD));
  const error = partOf(parseObject(text)?.error);
  const said = textOf(error?.message) ?? text.replace(/<[^>]*>/g, ' ');
  const words = ['the service answered', status, textOf(error?.status) ?? ''].join(' ').trim();
  return failure({
    message: said.trim() === '' ? `${words}, without a word` : `${words}: ${cut(oneLine(said), 400)}`,
    status,
    retryAfterMs: retryAfterMs(retryAfter, body, new Date()),
    body: text,
  });
}

/** What it answered cannot be used: in words, since a parser's are of no help. */
export const unreadable = (line: Line, why: string, status: number, text: string): ServiceFailure =>
  failure({ message: `the service answered ${status} ${why}`, status, body: withoutKey(line, cut(text, MAX_TOLD)) });

/** The answer broke off before its end. A further request may get it whole. */
export const brokenOff = (what: string): ServiceFailure => failure({ message: what, offline: true });

const failure = (known: { message: string } & Partial<ServiceRefusal>): ServiceFailure =>
  new ServiceFailure({ status: null, retryAfterMs: null, body: '', offline: false, ...known });

const MAX_TOLD = 65_536;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const textOfBytes = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

/** @param chunks gets what arrives, also before a failure. */
async function read(response: Response, chunks: Uint8Array[], heard: () => void): Promise<void> {
  let size = 0;
  for await (const chunk of response.body ?? []) {
    heard();
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES)
      throw failure({ message: `the service answered more than ${MAX_ANSWER_BYTES} bytes`, status: response.status });
    chunks.push(chunk);
  }
}

function refused(line: Line, { status, headers }: Response, text: string): ServiceFailure {
  const { location } = Object.fromEntries(headers);
  if (status < 400 && location !== undefined)
    return unreadable(
      line,
      'and leads elsewhere, where the key is not taken: give the address that is meant',
      status,
      text,
    );
  return refusalIn(line, status, text, headers.get('retry-after'));
}

function broken(error: unknown, host: string, silent: boolean, line: Line): ServiceFailure {
  if (silent) return brokenOff(`nothing was heard of ${host} for ${line.maxSilenceMs / 1000} s`);
  const code = codeOf(error);
  if (UNTRUSTED.test(code))
    return failure({ message: `the certificate of ${host} is not trusted (${code}): see NODE_EXTRA_CA_CERTS` });
  if (code === '')
    return failure({ message: withoutKey(line, `${host} could not be reached: ${oneLine(String(error))}`) });
  return brokenOff(
    UNREACHED[code] ? `${host} was not reached: ${UNREACHED[code]}` : `the line to ${host} broke (${code})`,
  );
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

const UNREACHED: Record<string, string> = {
  ENOTFOUND: 'the name is unknown (ENOTFOUND)',
  EAI_AGAIN: 'no name server answers (EAI_AGAIN)',
  ECONNREFUSED: 'no server listens there (ECONNREFUSED)',
  EHOSTUNREACH: 'the host cannot be reached (EHOSTUNREACH)',
  ENETUNREACH: 'there is no network (ENETUNREACH)',
  ETIMEDOUT: 'it does not answer (ETIMEDOUT)',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer (UND_ERR_CONNECT_TIMEOUT)',
};

/** Of the innermost error that has one: fetch wraps what the socket said, and several addresses are tried at once. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const inner = error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause);
  return inner || ((error as NodeJS.ErrnoException).code ?? '');
}

const withoutKey = ({ key }: Line, text: string): string => text.replaceAll(key, '[key]');

/** @returns null where it asks for nothing. */
function retryAfterMs(header: string | null, body: string, now: Date): number | null {
  const waits = [ofHeader(header, now), ofBody(body)].filter((ms) => ms !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

/** Seconds, or a date of HTTP. */
function ofHeader(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

function ofBody(body: string): number | null {
  const details = listOf(partOf(parseObject(body)?.error)?.details).map(partOf);
  const info = details.find((detail) => textOf(detail?.['@type'])?.endsWith('google.rpc.RetryInfo'));
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(info?.retryDelay) ?? '') ?? [];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}
