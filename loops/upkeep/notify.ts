// Sends a run's end to the notifiers of tollgate.yaml: within their deadlines, without secrets, and never fails the run.

import { randomUUID } from 'node:crypto';
import { BODIES, type Notification, type NotificationFacts, wordsOf } from '../../policies/manifest/notification.ts';
import { type NotifierRow, type NotifyEvent, notifierName, reachOf } from '../../policies/manifest/notifier.ts';
import { redactorOf } from '../redactor.ts';
import type { RunContext } from '../task/run-context.ts';
import type { Notified, Sent } from './sent.ts';
import { type Handing, tellCommand } from './tell-command.ts';
import { sendToWebhook } from './webhook.ts';

export interface NotifyRequest extends Pick<Handing, 'root' | 'envAllow' | 'beside'> {
  notifiers: readonly NotifierRow[];
  events: readonly NotifyEvent[];
  content: NotificationFacts;
  /** As in `security.redaction_patterns`. */
  patterns: readonly string[];
}

type Teller = Pick<RunContext, 'environment' | 'clock' | 'pause' | 'stop' | 'say'>;

/** Sends all at once, so that only the slowest delays the end. A failure is only reported. */
export async function notify(context: Teller, telling: NotifyRequest): Promise<Notified[]> {
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
  const clean = redacted(content, redact) as NotificationFacts;
  const head = { schema: 1, id: randomUUID(), event, at: at.toISOString(), text: wordsOf(event, clean) } as const;
  return { ...head, ...clean };
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redacted(each, redact)]));
}

type Sending = Teller & NotifyRequest & { redact(text: string): string };

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
