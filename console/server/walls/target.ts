// Parses the target of a request once, for both the guard and the router.

export interface RequestTarget {
  /** The decoded parts; empty for the page itself. No part is empty, `.` or `..`. */
  parts: readonly string[];
  /** Only for the page: the token that `tollgate console` printed; null if there is none. */
  token: string | null;
}

const MAX_LENGTH = 2048;
const TOKEN = /^\?token=([A-Za-z0-9_-]{1,128})$/;

/**
 * @returns null for a target that can be read in two ways. These are an address with a host, `//`, `/x/../api`, a letter that
 * is encoded without need, and an unexpected query.
 */
export function readTarget(target: string | undefined): RequestTarget | null {
  if (target === undefined || target.length > MAX_LENGTH || !target.startsWith('/')) return null;
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? null : target.slice(at);
  if (path === '/') {
    if (query === null) return { parts: [], token: null };
    const token = TOKEN.exec(query)?.[1];
    return token === undefined ? null : { parts: [], token };
  }
  if (query !== null) return null;
  const parts = path.slice(1).split('/').map(partOf);
  return parts.includes(null) ? null : { parts: parts as string[], token: null };
}

/** Accepts only the encoding that a browser uses. */
function partOf(encoded: string): string | null {
  try {
    const part = decodeURIComponent(encoded);
    const isPlain = part !== '' && part !== '.' && part !== '..' && !CONTROL.test(part);
    return isPlain && encodeURIComponent(part) === encoded ? part : null;
  } catch {
    return null;
  }
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u;
