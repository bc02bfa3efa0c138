// Sends a run's end to the notifiers of tollgate.yaml: within their deadlines, without secrets, and never fails the run.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scrubbed } from '../../policies/gate/command-environment.ts';
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
import { oneLine } from '../../policies/text/display.ts';
import { readTail } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { findProgram } from '../../wrappers/find-binary.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { withPrivateFolder } from '../gate/gate-folder.ts';
import { type PlainOutcome, runPlain } from '../gate/plain-command.ts';
import { takeNearLimits } from '../limits/settle-limits.ts';
import { redactorOf } from '../redactor.ts';
import type { RunContext } from '../task/run-context.ts';
import type { Notified, Sent } from './notified.ts';

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
  if (reach.how === 'impossible') return { how: 'failed', why: reach.why };
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

interface Handing {
  command: readonly string[];
  body: string;
  /** The folder in which the command runs. */
  root: string;
  environment: NodeJS.ProcessEnv;
  envAllow: readonly string[] | undefined;
  redact(text: string): string;
  timeoutMs: number;
  stop: AbortSignal;
  /** The call beside which files are stored, for a process after a kill. null for a batch, or a task without a call. */
  beside: { task: TaskFolder; callId: string } | null;
  /** Unique among the notifications of one end: a word of A-Z a-z 0-9 _. */
  name: string;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

async function tellCommand(handing: Handing): Promise<Sent> {
  const { command, root, environment } = handing;
  const [program, ...argv] = command as [string, ...string[]];
  const file = findProgram(program, root, environment);
  if (file === null) return { how: 'failed', why: `${program} is not found, or no program` };
  return inFolder(handing, async (folder, marker) => {
    const stdin = path.join(folder, 'notification.json');
    replaceText(stdin, `${handing.body}\n`);
    const outcome = await runPlain({
      command: file,
      argv,
      cwd: root,
      environment: scrubbed(environment, handing.envAllow, handing.redact),
      folder,
      name: 'command',
      stdin,
      marker,
      wallMs: handing.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      stop: handing.stop,
    });
    return endOf(outcome, handing);
  });
}

function inFolder<T>(
  { beside, environment, name }: Handing,
  use: (folder: string, marker: string) => Promise<T>,
): Promise<T> {
  if (beside !== null)
    return withPrivateFolder({ ...beside, environment }, name, ({ folder, marker }) => use(folder, marker));
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-notify-'));
  return use(folder, markerOf(path.basename(folder), environment)).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

function endOf({ ending, exitCode, signal, obstacle, stderr }: PlainOutcome, { timeoutMs, redact }: Handing): Sent {
  if (ending === 'exited' && exitCode === 0) return { how: 'sent', why: 'exit 0' };
  const said = lastLine(stderr);
  const after = said === '' ? '' : `: ${oneLine(redact(said), MAX_SAID)}`;
  return { how: 'failed', why: `${WHY[ending]?.({ exitCode, signal, obstacle, timeoutMs }) ?? ending}${after}` };
}

const MAX_SAID = 120;

type Facts = { exitCode: number | null; signal: string | null; obstacle: string | null; timeoutMs: number };

const WHY: Partial<Record<PlainOutcome['ending'], (facts: Facts) => string>> = {
  exited: ({ exitCode }) => `exit ${exitCode}`,
  signalled: ({ signal }) => `ended by ${signal}`,
  timed_out: ({ timeoutMs }) => `ended after ${timeoutMs / 1000} s`,
  overflowed: () => 'ended, since it wrote too much',
  not_started: ({ obstacle }) => `not started: ${obstacle}`,
  cancelled: () => 'stopped',
};

const lastLine = (file: string): string => readTail(file, 1000).text.trim().split('\n').at(-1) ?? '';
