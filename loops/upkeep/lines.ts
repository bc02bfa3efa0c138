// Writes the lines of a summary about notifications; a failed notification is a warning.

import { oneLine } from '../../policies/text/display.ts';
import type { Notified } from './sent.ts';

const MAX_CHARS = 300;

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
