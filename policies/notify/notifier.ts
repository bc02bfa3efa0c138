// Who is told of the end of a run, as `notify` of tollgate.yaml says: a webhook or a command, and of which events.

export const NOTIFY_EVENTS = ['done', 'failed', 'parked', 'budget'] as const;

export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

export const NOTIFY_FORMATS = ['json', 'slack'] as const;

/** One of webhook, webhook_env and command. */
export interface NotifierRow {
  on: readonly NotifyEvent[];
  webhook?: string;
  /** The variable that holds the address, where the address itself is a secret. */
  webhook_env?: string;
  /** The variable that holds the secret of the signature. */
  secret_env?: string;
  format: (typeof NOTIFY_FORMATS)[number];
  command?: readonly string[];
  /** For all tries together. */
  timeout_ms: number;
}

/** In all, with every try: the end of a run is not held up for longer. */
export const NOTIFY_TIMEOUT = { least: 100, most: 30_000, unlessTold: 10_000 } as const;

/** For people: of an address its host alone, since the rest of it may be what lets one in. */
export function nameOf({ webhook, webhook_env, command }: NotifierRow): string {
  if (command !== undefined) return `command ${command[0]}`;
  return webhook === undefined ? `webhook of $${webhook_env}` : `webhook to ${hostOf(webhook)}`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '?');
