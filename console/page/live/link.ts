// How the page hangs together with its server: whether changes come, and whose tasks they are.

import { signal } from '../reactive.ts';

type Link =
  | { how: 'live' }
  /** The server answers, and cannot follow what changes. */
  | { how: 'behind'; what: string; wayOut: string }
  /** The stream broke off, and is asked for anew. */
  | { how: 'trying' }
  /** Nobody answers, or one that does not know this browser. */
  | { how: 'gone'; what: string; wayOut: string | null };

export const linkState = signal<Link>({ how: 'trying' });

/** ISO time at which the stream is asked for by itself; null while it is there, or being asked for. */
export const linkAgainAt = signal<string | null>(null);

/** The folder of the tasks. */
export const place = signal('');
