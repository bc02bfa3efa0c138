// Defines the outcome of one notification, and writes the lines of a summary about notifications.

import type { NotifyEvent } from '../../policies/manifest/notifier.ts';
import { oneLine } from '../../policies/text/display.ts';

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

const MAX_CHARS = 300;

/** A failed notification is a warning. */
export function notifiedLines(notified: readonly Notified[]): string[] {
  const sent = notified
    .filter(({ how }) => how === 'sent')
    .map(({ event, to, why }) => `"${event}" by the ${to} (${why})`);
  const failed = notified.filter(({ how }) => how === 'failed');
  return [
    ...(sent.length === 0 ? [] : [oneLine(`Notified of ${sent.join(', ')}`, MAX_CHARS)]),
    ...failed.map(({ event, to, why }) =>
      oneLine(`Warning: the notification "${event}" was not sent by the ${to}: ${why}`, MAX_CHARS),
    ),
  ];
}
