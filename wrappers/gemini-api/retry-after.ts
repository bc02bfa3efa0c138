// How long a service asks to be left alone: its header `Retry-After`, and google.rpc.RetryInfo in its body; the longer counts.

import { listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';

/** @returns null where it asks for nothing. */
export function retryAfterMs(header: string | null, body: string, now: Date): number | null {
  const asked = [ofHeader(header, now), ofBody(body)].filter((ms) => ms !== null);
  return asked.length === 0 ? null : Math.max(...asked);
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
