// Checks what a notifier needs from the environment. If something is missing, nothing is sent.

import type { NotifierRow } from './notifier.ts';

/** The address of a notification and its signing secret; or what is missing. */
type Reach =
  | { how: 'reachable'; url: string; secret: string | null; warning: string | null }
  | { how: 'unreachable'; why: string; fix: string };

export function reachOf(
  { webhook, webhook_env, secret_env }: NotifierRow,
  environment: Readonly<Record<string, string | undefined>>,
): Reach {
  const unset = [webhook_env, secret_env].find((name) => name !== undefined && !environment[name]);
  if (unset !== undefined) return { how: 'unreachable', why: `$${unset} is not set`, fix: `export ${unset}=…` };
  const url = webhook ?? environment[webhook_env!]!;
  const mistake = addressMistake(url);
  if (mistake !== null)
    return { how: 'unreachable', why: `the address in $${webhook_env} ${mistake}`, fix: `export ${webhook_env}=…` };
  const secret = secret_env === undefined ? null : environment[secret_env]!;
  return { how: 'reachable', url, secret, warning: inClear(url) ? IN_CLEAR : null };
}

const IN_CLEAR = 'it goes over the network in clear; say https';

/** null if the address can be used. */
export function addressMistake(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return 'is no http or https address';
  if (parsed.username !== '' || parsed.password !== '')
    return 'holds a user or a password; sign with secret_env instead';
  return null;
}

function inClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
