// Defines who is notified of the end of a run, as `notify` of tollgate.yaml sets: webhook or command, and the events.

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
export function nameOf({ webhook, webhook_env, command }: NotifierRow): string {
  if (command !== undefined) return `command ${command[0]}`;
  return webhook === undefined ? `webhook of $${webhook_env}` : `webhook to ${hostOf(webhook)}`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '?');
