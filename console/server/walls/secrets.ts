// What lets a browser in: made by chance for each console, kept in memory alone, compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ConsoleSecrets {
  /** In the address that is printed; it is changed for the cookie. */
  token: string;
  /** In the address that a browser is started with, which others may read; gone as soon as it is used. */
  once: string | null;
  /** In the cookie, which no script reads. */
  cookie: string;
  /** Of the page, which sends it with whatever changes something. */
  page: string;
}

export const makeSecrets = (): ConsoleSecrets => ({
  ...{ token: secret(), once: null },
  ...{ cookie: secret(), page: secret() },
});

/** 256 bits. */
export const secret = (): string => randomBytes(32).toString('base64url');

/** How long it takes tells nothing of either. */
export function isSecret(given: string | undefined | null, held: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given ?? ''), hash(held));
}

/** A browser sends a cookie to all ports of a host: two consoles must not take each other's place. */
export const cookieName = (port: number): string => `tollgate-${port}`;

export function cookieIn(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}
