// A notification as it is sent: its body in the form of its receiver, and its signature.

import { createHmac } from 'node:crypto';
import type { Notification } from './notification.ts';
import type { NotifierRow } from './notifier.ts';

/** Text is data in both: in Slack's own form, `<!channel>` would be an order. */
export const BODIES = {
  json: (notification) => JSON.stringify(notification),
  slack: ({ text }) => JSON.stringify({ text: plain(text) }),
} as const satisfies Record<NotifierRow['format'], (notification: Notification) => string>;

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const;

const plain = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPED[sign as keyof typeof ESCAPED]);

/** @param at in whole seconds since 1970; it is signed too, so that nobody sends an old word again. */
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
