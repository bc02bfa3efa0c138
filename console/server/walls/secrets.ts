// Makes the random secrets that admit a browser: new for each console, only in memory, compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ConsoleSecrets {
  /** In the printed address; the browser exchanges it for the cookie. */
  token: string;
  /** In the address that starts the browser, which others may read; invalid after its first use. */
  once: string | null;
  /** In the cookie, which no script can read. */
  cookie: string;
  /** Held by the page, which sends it with each change. */
  page: string;
}

export const makeSecrets = (): ConsoleSecrets => ({
  ...{ token: secret(), once: null },
  ...{ cookie: secret(), page: secret() },
});

/** 256 bits. */
export const secret = (): string => randomBytes(32).toString('base64url');

/** The time that it takes reveals nothing about either value. */
export function isSecret(given: string | undefined | null, held: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given ?? ''), hash(held));
}

/** A browser sends a cookie to all ports of a host: two consoles must not overwrite each other's cookie. */
export const cookieName = (port: number): string => `tollgate-${port}`;

export function cookieIn(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}
