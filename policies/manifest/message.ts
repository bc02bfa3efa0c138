// Builds the message of a notification: its body in the receiver's format, and its signature.

import { createHmac } from 'node:crypto';
import type { Notification } from './notification.ts';
import type { NotifierRow } from './notifier.ts';

/** Text is data in both formats. In Slack's format, `<!channel>` would be a command. */
export const BODIES = {
  json: (notification) => JSON.stringify(notification),
  slack: ({ text }) => JSON.stringify({ text: plain(text) }),
} as const satisfies Record<NotifierRow['format'], (notification: Notification) => string>;

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const;

const plain = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPED[sign as keyof typeof ESCAPED]);

/** @param at in whole seconds since 1970. It is signed too, so that an old message cannot be sent again. */
export function headersOf(
  { id, event }: Pick<Notification, 'id' | 'event'>,
  body: string,
  secret: string | null,
  at: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'tollgate',
    'tollgate-event': event,
    'tollgate-delivery': id,
    'tollgate-timestamp': String(at),
    ...(secret === null ? {} : { 'tollgate-signature': `v1=${signatureOf(secret, at, body)}` }),
  };
}

/** HMAC-SHA256, in hexadecimal. */
const signatureOf = (secret: string, at: number, body: string): string =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
