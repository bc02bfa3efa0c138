// Defines the file of a recorded request, and removes from it what is never stored: all credentials.

import type { Tool } from '../facts/tools.ts';

export const RECORDED_VERSION = 1;

export interface RecordedExchange {
  v: number;
  /** The call of the entry that names this file. */
  call_id: string;
  tool: Tool;
  session_id: string | null;
  request: RecordedMessage & { method: string; url: string };
  /** null if no response came. */
  response: (RecordedMessage & { status: number }) | null;
  /** How the exchange ended, in the terms of `wrappers/relay/exchange.ts`. */
  end: 'under_way' | 'whole' | 'cut_by_service' | 'cut_by_cli' | 'unanswered';
  /** The operating system's error code; null if there is none. */
  error: string | null;
}

export interface RecordedMessage {
  headers: Record<string, string>;
  /** The names of headers with credentials. Their values are stored nowhere. */
  left_out: string[];
  /** The number of all bytes on the wire. */
  bytes: number;
  /** As it was sent, decompressed and redacted; null if it is not available. */
  body: string | null;
  /** Why it is less than the whole body; null if it is complete. */
  less: string | null;
}

/** Returns the headers in the order of the wire. The values of a repeated header are joined in one line. */
export function keptHeaders(raw: readonly string[]): { headers: Record<string, string>; leftOut: string[] } {
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (SIGNS_IN.test(name)) {
      if (!leftOut.includes(name)) leftOut.push(name);
    } else headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${raw[i + 1]}` : raw[i + 1]!;
  }
  return { headers, leftOut };
}

/** Matches whole words of a name, so `x-ratelimit-remaining-tokens` does not match. */
const SIGNS_IN =
  /(?:^|[-_])(?:auth|authorization|authentication|authenticate|api[-_]?key|key|apikey|cookie2?|token|secret|password|credentials?|signature|assertion|jwt)(?:$|[-_])/;

/** Keeps of the query only parameters that describe the request; the rest may be a key. */
export function keptUrl(text: string): string {
  const url = new URL(text);
  const query = [...url.searchParams].map(([name, value]) => `${name}=${TELLS_HOW.has(name) ? value : '[left out]'}`);
  return `${url.origin}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

const TELLS_HOW: ReadonlySet<string> = new Set(['alt', 'api-version', 'beta']);
