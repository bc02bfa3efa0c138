// Defines the outcome of one notification, for a report.

import type { NotifyEvent } from '../../policies/manifest/notifier.ts';

export interface Sent {
  how: 'sent' | 'failed';
  /** A short description without secrets. */
  why: string;
}

export interface Notified extends Sent {
  event: NotifyEvent;
  /** The receiver, without the secret parts of an address. */
  to: string;
}
