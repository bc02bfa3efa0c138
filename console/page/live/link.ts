// Holds the state of the connection to the server: whether changes arrive, and whose tasks they are.

import { signal } from '../reactive.ts';

type Link =
  | { how: 'live' }
  /** The server answers, but cannot follow the changes. */
  | { how: 'behind'; what: string; wayOut: string }
  /** The stream was interrupted, and is requested again. */
  | { how: 'trying' }
  /** No server answers, or the server does not know this browser. */
  | { how: 'gone'; what: string; wayOut: string | null };

export const linkState = signal<Link>({ how: 'trying' });

/** ISO time of the next automatic request for the stream; null while the stream is open or requested. */
export const linkAgainAt = signal<string | null>(null);

/** The folder of the tasks. */
export const place = signal('');
