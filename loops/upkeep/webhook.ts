// Sends one notification to a webhook: signed, retried if that can help, and stopped at its deadline.

import { afterTry, headersOf, type Notification, type Try } from '../../policies/manifest/notification.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { RunContext } from '../task/run-context.ts';
import type { Sent } from './sent.ts';

interface Delivery extends Pick<RunContext, 'clock' | 'pause' | 'stop'> {
  notification: Notification;
  body: string;
  url: string;
  secret: string | null;
  timeoutMs: number;
}

/** A receiver that hangs leaves time for another try. */
const SHARE_OF_A_TRY = 0.6;

export async function sendToWebhook(delivery: Delivery): Promise<Sent> {
  const { timeoutMs, pause, stop } = delivery;
  const endsAt = nowMs() + timeoutMs;
  for (let tries = 1; ; tries += 1) {
    const leftMs = endsAt - nowMs();
    const tried = await tryOnce(delivery, Math.ceil(Math.max(1, tries === 1 ? timeoutMs * SHARE_OF_A_TRY : leftMs)));
    const after = stop.aborted ? STOPPED : afterTry(tried, tries, endsAt - nowMs());
    if (after.next === 'taken') return { how: 'sent', why: after.why };
    if (after.next === 'given_up') return { how: 'failed', why: after.why };
    await pause(after.afterMs, stop);
  }
}

const STOPPED = { next: 'given_up', why: 'stopped' } as const;

/** Only the status of a response is used; its body is not read. */
async function tryOnce({ notification, body, url, secret, clock, stop }: Delivery, forMs: number): Promise<Try> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, forMs);
  stop.addEventListener('abort', end, { once: true });
  try {
    const at = Math.floor(clock().getTime() / 1000);
    const headers = headersOf(notification, body, secret, at);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ending.signal });
    await answer.body?.cancel();
    return { how: 'answered', status: answer.status, retryAfterMs: secondsIn(answer.headers.get('retry-after')) };
  } catch (error) {
    return { how: 'unanswered', why: ending.signal.aborted ? 'no answer in time' : whyOf(error as Error) };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
  }
}

const secondsIn = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;

/** "fetch failed" alone does not describe the cause. */
function whyOf(error: Error): string {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}
