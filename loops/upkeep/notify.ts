// Sends a run's end to the notifiers of tollgate.yaml: within their deadlines, without secrets, and never fails the run.

import { randomUUID } from 'node:crypto';
import {
  afterTry,
  BODIES,
  headersOf,
  type Notification,
  type NotificationFacts,
  type Try,
  wordsOf,
} from '../../policies/manifest/notification.ts';
import { type NotifierRow, type NotifyEvent, notifierName, reachOf } from '../../policies/manifest/notifier.ts';
import { redactValue } from '../../policies/redact/redactor.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { takeNearLimits } from '../limits/settle-limits.ts';
import { redactorOf } from '../redactor.ts';
import type { RunContext } from '../task/run-context.ts';
import type { Notified, Sent } from './notified.ts';
import { type Handing, tellCommand } from './tell-command.ts';

export interface NotifyRequest extends Pick<Handing, 'root' | 'envAllow' | 'beside'> {
  notifiers: readonly NotifierRow[];
  events: readonly NotifyEvent[];
  content: NotificationFacts;
  /** As in `security.redaction_patterns`. */
  patterns: readonly string[];
}

/** Sends all at once, so that only the slowest delays the end. A failure is only reported. */
export async function notify(context: RunContext, telling: NotifyRequest): Promise<Notified[]> {
  const { environment, say } = context;
  const { notifiers, events, patterns } = telling;
  const { redact } = redactorOf({ ...environment, ...secretsFor(notifiers, environment) }, patterns);
  const due = notifiers.flatMap((row, i) =>
    events.filter((event) => row.on.includes(event)).map((event) => ({ row, event, i })),
  );
  return Promise.all(
    due.map(async ({ row, event, i }) => {
      const notification = notificationOf(event, telling.content, context.clock(), redact);
      const sent = await send({ ...context, ...telling, redact }, row, notification, `notify_${i}_${event}`).catch(
        (error: Error): Sent => ({ how: 'failed', why: error.message }),
      );
      const notified = { event, to: redact(notifierName(row)), how: sent.how, why: redact(sent.why) };
      if (sent.how === 'failed') say(`the notification "${event}" was not sent by the ${notified.to}: ${notified.why}`);
      return notified;
    }),
  );
}

/** Uses names that the redactor recognises as secrets, whatever names the user chose. */
const secretsFor = (notifiers: readonly NotifierRow[], environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    notifiers.flatMap(({ secret_env, webhook_env }, i) =>
      [secret_env, webhook_env].flatMap((name, j) => {
        const value = environment[name ?? ''];
        return value ? [[`NOTIFY_SECRET_${i}_${j}`, value] as const] : [];
      }),
    ),
  );

function notificationOf(
  event: NotifyEvent,
  content: NotificationFacts,
  at: Date,
  redact: (text: string) => string,
): Notification {
  const clean = redactValue(content, redact) as NotificationFacts;
  const head = { schema: 1, id: randomUUID(), event, at: at.toISOString(), text: wordsOf(event, clean) } as const;
  return { ...head, ...clean };
}

type Sending = RunContext & NotifyRequest & { redact(text: string): string };

async function send(sending: Sending, row: NotifierRow, notification: Notification, name: string): Promise<Sent> {
  const { environment, stop, clock, pause } = sending;
  const timeoutMs = row.timeout_ms;
  if (row.command !== undefined) {
    const body = BODIES.json(notification);
    return tellCommand({ ...sending, command: row.command, body, timeoutMs, name });
  }
  const reach = reachOf(row, environment);
  if (reach.how === 'unreachable') return { how: 'failed', why: reach.why };
  const body = BODIES[row.format](notification);
  const { url, secret, warning } = reach;
  const sent = await sendToWebhook({ notification, body, url, secret, timeoutMs, clock, pause, stop });
  return sent.how === 'sent' && warning !== null ? { ...sent, why: `${sent.why}; ${warning}` } : sent;
}

/** Takes the list of nearly used limits for a run's end, but only if a notifier reports them; otherwise they are kept. */
export async function nearLimitsFor(
  { environment, clock }: RunContext,
  notifiers: readonly NotifierRow[],
  root: string,
): Promise<string[]> {
  if (!notifiers.some(({ on }) => on.includes('budget'))) return [];
  return takeNearLimits({ environment, clock, root });
}

interface Delivery extends Pick<RunContext, 'clock' | 'pause' | 'stop'> {
  notification: Notification;
  body: string;
  url: string;
  secret: string | null;
  timeoutMs: number;
}

/** A receiver that hangs leaves time for another try. */
const SHARE_OF_A_TRY = 0.6;

/** The notification is signed, retried if that can help, and stopped at its deadline. */
async function sendToWebhook(delivery: Delivery): Promise<Sent> {
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
