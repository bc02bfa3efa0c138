// What became of one notification, as a report tells it.

import type { NotifyEvent } from '../../policies/notify/notifier.ts';

export interface Sent {
  how: 'sent' | 'failed';
  /** In a few words, without secrets. */
  why: string;
}

export interface Notified extends Sent {
  event: NotifyEvent;
  /** Whom, without the secret parts of an address. */
  to: string;
}
