// The Gemini API by Google's own SDK, which is loaded with the first turn: one request per turn, without retries or follow-up requests of its own.

import type { TurnAnswer, TurnUsage, UploadedBook } from '../../policies/distill/service.ts';
import { listOf, numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { type DocumentService, ServiceFailure, type TurnToAsk } from './document-service.ts';
import { brokenOff, type Line, refusalIn, send, unreadable } from './line.ts';
import { createUploader } from './resumable-upload.ts';

interface GeminiAccess {
  key: string;
  /** A proxy or a test; null is Google's. */
  baseUrl: string | null;
  maxSilenceMs?: number;
}

const GOOGLE = 'https://generativelanguage.googleapis.com';

/** The Files API is in no other version. */
const API_VERSION = 'v1beta';

/** Below the 300 s after which Node's fetch gives up without saying for what it waited. */
const MAX_SILENCE_MS = 280_000;

/** Throws ServiceFailure for a key or an address that cannot be one. */
export function createGeminiService({ key, baseUrl, maxSilenceMs = MAX_SILENCE_MS }: GeminiAccess): DocumentService {
  const line: Line = { key: fitKey(key), maxSilenceMs };
  const base = fitBase(baseUrl ?? GOOGLE);
  const { upload } = createUploader(line, `${base}/upload/${API_VERSION}/files`);
  return {
    upload: async (book, options) => bookOf(line, await upload(book, options)),
    look: async (name, signal) => {
      const sdk = await clientOf(line, base, signal);
      return bookOf(line, await translatingErrors(line, signal, () => sdk.files.get({ name })));
    },
    ask: (turn) => ask(line, base, turn),
  };
}

async function ask(line: Line, base: string, turn: TurnToAsk) {
  const sdk = await clientOf(line, base, turn.signal);
  const pieces = await translatingErrors(line, turn.signal, async () => {
    const stream = await sdk.models.generateContentStream({
      model: turn.model,
      contents: 'those of extraBody',
      config: {
        systemInstruction: turn.systemInstruction,
        ...(turn.temperature === null ? {} : { temperature: turn.temperature }),
        // Otherwise it may ask on by itself, and each of those requests is paid for.
        automaticContinuation: false,
        automaticFunctionCalling: { disable: true },
        // The SDK's own fields would lose what it does not know of a part; here they go as they are.
        httpOptions: { extraBody: { contents: turn.contents, tools: [] } },
      },
    });
    const heard: unknown[] = [];
    for await (const piece of stream) heard.push(piece);
    return heard;
  });
  const answer = answerOf(pieces);
  if (answer === null) throw brokenOff('the answer broke off before its end');
  return answer;
}

/** A client of its own for each request: one that lives on leaves a listener at the signal for every request that went well. */
async function clientOf(line: Line, baseUrl: string, signal: AbortSignal) {
  const { GoogleGenAI } = await import('@google/genai/web');
  const checkedFetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const { status, headers, text } = await send(line, String(input), init, signal, wholeEvents);
    if (text.trim() === '') throw unreadable(line, 'without a word', status, text);
    const streamed = /^text\/event-stream/.test(headers.get('content-type') ?? '');
    if (!streamed && !isJson(text)) throw unreadable(line, 'with something else than JSON', status, text);
    return new Response(text, { status, headers: { 'content-type': headers.get('content-type') ?? 'text/plain' } });
  };
  return new GoogleGenAI({ apiKey: line.key, apiVersion: API_VERSION, httpOptions: { baseUrl, fetch: checkedFetch } });
}

/** The service sends the reason of the end with the last words; what may follow, also the end of the connection, adds nothing. */
function wholeEvents(arrived: string): string | null {
  const [events = ''] = /^[\s\S]*(?:\r\n\r\n|\n\n)/.exec(arrived) ?? [];
  const pieces = events.split(/\r\n\r\n|\n\n/).map((event) => parseObject(event.replace(/^data:\s*/, '')));
  return answerOf(pieces) === null ? null : events;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The SDK's own errors: of a stream that says one, and of pieces that are no JSON. */
async function translatingErrors<T>(line: Line, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceFailure) throw error;
    const { status, message } = error as { status?: unknown; message: string };
    if (typeof status === 'number') throw refusalIn(line, status, message.slice(message.indexOf('{')), null);
    throw unreadable(line, `with what cannot be read`, 200, message);
  }
}

function bookOf(line: Line, found: unknown): UploadedBook {
  const file = partOf(found);
  const [name, uri] = [textOf(file?.name), textOf(file?.uri)];
  if (name === null || uri === null) throw unreadable(line, 'with a file that has no name', 200, JSON.stringify(found));
  const state = textOf(file?.state);
  return {
    name,
    uri,
    mimeType: textOf(file?.mimeType) ?? '',
    state: state === 'ACTIVE' || state === 'FAILED' ? state : 'PROCESSING',
    expiresAt: textOf(file?.expirationTime),
    error: textOf(partOf(file?.error)?.message),
  };
}

/** A character that is invalid in a header would put the key into the error message of the HTTP client. */
function fitKey(key: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key;
  throw unfit(key === '' ? 'no API key is given' : 'the API key has a space, a line break or a letter that no key has');
}

function fitBase(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '')
    throw unfit('the base URL of the Gemini API is not a plain address of http or https');
  return url.href.replace(/\/+$/, '');
}

const unfit = (message: string): ServiceFailure =>
  new ServiceFailure({ message, status: null, retryAfterMs: null, body: '', offline: false });

/** @returns null for a stream that ended before the answer did: no piece of it says why it would have. */
function answerOf(pieces: readonly unknown[]): TurnAnswer | null {
  const chunks = pieces.map(partOf);
  const candidates = chunks.map((chunk) => partOf(listOf(chunk?.candidates)[0]));
  const parts = candidates.flatMap((candidate) => listOf(partOf(candidate?.content)?.parts)).reduce(join, []);
  const finishReason = lastOf(candidates.map((candidate) => textOf(candidate?.finishReason)));
  const blockReason = lastOf(chunks.map((chunk) => textOf(partOf(chunk?.promptFeedback)?.blockReason)));
  if (finishReason === null && blockReason === null) return null;
  return {
    content: parts.length === 0 ? null : { role: 'model', parts },
    text: parts.map(readable).join(''),
    finishReason,
    blockReason,
    usage: usageOf(lastOf(chunks.map((chunk) => partOf(chunk?.usageMetadata)))),
    modelVersion: lastOf(chunks.map((chunk) => textOf(chunk?.modelVersion))),
  };
}

/** Neighbours that are text and nothing else are one text, as the model wrote it; whatever carries more, such as a signature, stays as it is. */
function join(joined: unknown[], part: unknown): unknown[] {
  const [before, next] = [plain(joined.at(-1)), plain(part)];
  if (before === null || next === null || before.thought !== next.thought) joined.push(part);
  else joined[joined.length - 1] = { ...before, text: `${before.text}${next.text}` };
  return joined;
}

function plain(part: unknown): { text: string; thought?: unknown } | null {
  const found = partOf(part);
  const text = textOf(found?.text);
  if (found === null || text === null) return null;
  return Object.keys(found).every((key) => key === 'text' || key === 'thought') ? { ...found, text } : null;
}

function readable(part: unknown): string {
  const found = partOf(part);
  return found?.thought === true ? '' : (textOf(found?.text) ?? '');
}

function usageOf(counted: Record<string, unknown> | null): TurnUsage | null {
  const of = (name: string) => numberOf(counted?.[name]) ?? 0;
  if (numberOf(counted?.promptTokenCount) === null) return null;
  return {
    input: of('promptTokenCount'),
    output: of('candidatesTokenCount'),
    thoughts: of('thoughtsTokenCount'),
    cached: of('cachedContentTokenCount'),
  };
}

const lastOf = <T>(values: readonly (T | null)[]): T | null => values.findLast((value) => value !== null) ?? null;
