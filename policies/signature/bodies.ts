// Writes the JSON within a text in words: the key facts first, in a fixed order that ignores the service's key order.

import { objectEnd, readJson } from './json-text.ts';

/**
 * Returns the line with each JSON object in it written as `key: value`, also one that was escaped into a string.
 * Omits keys that only point elsewhere (links, ids, locales), and repeated values.
 */
export function tellBodies(line: string): string {
  let result = '';
  let from = 0;
  let tries = MAX_OBJECTS;
  for (let at = line.indexOf('{'); at !== -1 && tries > 0; at = line.indexOf('{', Math.max(at + 1, from))) {
    tries -= 1;
    const end = BEGINS.test(line.slice(at, at + 40)) ? objectEnd(line, at) : -1;
    const body = end === -1 ? undefined : parse(line.slice(at, end));
    if (body === undefined) continue;
    result += `${line.slice(from, at)} ${wordsOf(body).join(' ')} `;
    from = end;
  }
  return from === 0 ? line : result + line.slice(from);
}

/** Returns what a service reports about a failure in addition to its message: reasons and quotas. */
export function tellDetails(json: string): string {
  const body = parse(json);
  if (body === undefined) return '';
  const details = leavesOf(body, 0).filter(({ key }) => DETAILS.has(key));
  return [...new Set(details.map(({ key, value }) => `${key}: ${value}`))].join(' ');
}

/** A string may contain JSON. */
const OPENS = /^\s*[[{]/;
const BEGINS = /^\{\s*\\*"/;
/** Limits the tries on a text with many opening brackets, each of which starts another read. */
const MAX_OBJECTS = 16;
const MAX_WORDS = 2000;
const MAX_DEPTH = 12;

function parse(text: string): unknown {
  const body = readJson(text);
  if (body !== undefined) return body;
  const inner = unescaped(text);
  return inner === null ? undefined : readJson(inner);
}

/** Returns the string of JSON in a string; null if no quote is escaped. */
function unescaped(text: string): string | null {
  if (!text.includes('\\"')) return null;
  const inner = readJson(`"${text}"`);
  return typeof inner === 'string' ? inner : null;
}

interface Leaf {
  key: string;
  value: string;
}

function wordsOf(body: unknown): string[] {
  const ranked = leavesOf(body, 0).sort(
    (a, b) => rankOf(a.key) - rankOf(b.key) || compare(a.key, b.key) || compare(a.value, b.value),
  );
  const seen = new Set<string>();
  const words: string[] = [];
  for (const { key, value } of ranked) {
    if (seen.has(value)) continue;
    seen.add(value);
    words.push(`${key}: ${value}`);
  }
  return words;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function leavesOf(value: unknown, depth: number, key = ''): Leaf[] {
  if (value === null || LEFT_OUT.has(key) || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, 50).flatMap((one) => leavesOf(one, depth + 1, key));
  if (typeof value === 'object') return Object.entries(value).flatMap(([name, one]) => leavesOf(one, depth + 1, name));
  if (typeof value === 'string' && OPENS.test(value)) {
    const inner = parse(value.trim());
    if (typeof inner === 'object' && inner !== null) return leavesOf(inner, depth + 1, key);
  }
  const text = String(value).slice(0, MAX_WORDS);
  return [{ key, value: depth < MAX_DEPTH && text.includes('{') ? tellBodies(text) : text }];
}

const rankOf = (key: string): number => RANKS.get(key) ?? RANKS.size;

/** The most informative keys come first, since only the beginning of a text is signed. */
const RANKS: ReadonlyMap<string, number> = new Map(
  'code status statusCode status_code type name reason quotaId quota_limit quotaMetric error message detail details'
    .split(' ')
    .map((key, rank) => [key, rank]),
);

const DETAILS: ReadonlySet<string> = new Set(['reason', 'quotaId', 'quota_limit', 'quotaMetric', 'code']);

const LEFT_OUT: ReadonlySet<string> = new Set([
  '@type',
  'links',
  'url',
  'locale',
  'domain',
  'service',
  'consumer',
  'doc_url',
  'documentation_url',
  'help',
  'request_id',
  'requestId',
  'session_id',
  'sessionId',
  'id',
  'stack',
  'headers',
  'quotaLocation',
  'quota_location',
  'quotaDimensions',
  'quotaValue',
  'quota_limit_value',
  'stats',
]);
