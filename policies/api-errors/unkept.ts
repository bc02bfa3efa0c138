// What of a recorded request is never kept: whatever signs somebody in.

/** By name and value, in the order of the wire; a header that is repeated has its values in one line. */
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

/** Whole words of a name: `x-ratelimit-remaining-tokens` is none of them. */
const SIGNS_IN =
  /(?:^|[-_])(?:auth|authorization|authentication|authenticate|api[-_]?key|key|apikey|cookie2?|token|secret|password|credentials?|signature|assertion|jwt)(?:$|[-_])/;

/** Of the query only what says how is asked; the rest may be a key. */
export function keptUrl(text: string): string {
  const url = new URL(text);
  const query = [...url.searchParams].map(([name, value]) => `${name}=${TELLS_HOW.has(name) ? value : '[left out]'}`);
  return `${url.origin}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

const TELLS_HOW: ReadonlySet<string> = new Set(['alt', 'api-version', 'beta']);
