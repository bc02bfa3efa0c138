// Defines who is notified of the end of a run, as `notify` of tollgate.yaml sets, and checks what the environment must set.

export const NOTIFY_EVENTS = ['done', 'failed', 'parked', 'budget'] as const;

export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

export const NOTIFY_FORMATS = ['json', 'slack'] as const;

/** One of webhook, webhook_env and command. */
export interface NotifierRow {
  on: readonly NotifyEvent[];
  webhook?: string;
  /** The variable that contains the address, if the address itself is a secret. */
  webhook_env?: string;
  /** The variable that contains the signing secret. */
  secret_env?: string;
  format: (typeof NOTIFY_FORMATS)[number];
  command?: readonly string[];
  /** For all attempts together. */
  timeout_ms: number;
}

/** The limits for all attempts together. The end of a run is not delayed any longer. */
export const NOTIFY_TIMEOUT = { least: 100, most: 30_000, unlessTold: 10_000 } as const;

/** A name for users. It contains only the host of an address, because the rest may grant access. */
export function notifierName({ webhook, webhook_env, command }: NotifierRow): string {
  if (command !== undefined) return `command ${command[0]}`;
  return webhook === undefined ? `webhook of $${webhook_env}` : `webhook to ${hostOf(webhook)}`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '?');

/** The address of a notification and its signing secret; or what is missing. */
type Reach =
  | { how: 'ready'; url: string; secret: string | null; warning: string | null }
  | { how: 'impossible'; why: string; fix: string };

export function reachOf(
  { webhook, webhook_env, secret_env }: NotifierRow,
  environment: Readonly<Record<string, string | undefined>>,
): Reach {
  const unset = [webhook_env, secret_env].find((name) => name !== undefined && !environment[name]);
  if (unset !== undefined) return { how: 'impossible', why: `$${unset} is not set`, fix: `export ${unset}=…` };
  const url = webhook ?? environment[webhook_env!]!;
  const mistake = addressMistake(url);
  if (mistake !== null)
    return { how: 'impossible', why: `the address in $${webhook_env} ${mistake}`, fix: `export ${webhook_env}=…` };
  const secret = secret_env === undefined ? null : environment[secret_env]!;
  return { how: 'ready', url, secret, warning: inClear(url) ? IN_CLEAR : null };
}

const IN_CLEAR = 'it goes over the network in clear; say https';

/** null if the address can be used. */
export function addressMistake(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return 'is not an http or https address';
  if (parsed.username !== '' || parsed.password !== '')
    return 'holds a user or a password; sign with secret_env instead';
  return null;
}

function inClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
