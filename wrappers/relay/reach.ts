// Checks whether the service can be reached from here as its CLI would reach it, without a request to it.

import { connect } from 'node:net';
import { connect as secure } from 'node:tls';
import { tried } from '../../policies/text/tried.ts';
import { proxyIn } from './proxy.ts';

/** Half a sentence that says why a relay would stand in the way; null where none does. */
export async function standAside(
  upstream: string,
  environment: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<string | null> {
  const proxy = proxyIn(environment);
  if (proxy !== null) return `${proxy} is set, and the relay does not ask through a proxy`;
  const url = parsed(upstream);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'the address of the service is not a URL of HTTP';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return 'the address of the service holds more than host and path';
  return unreachable(url, stop);
}

const parsed = (text: string): URL | null => tried(() => new URL(text));

/** The relay speaks HTTP/1.1. With certificates that only the CLI knows it must not be our failure that the call meets. */
function unreachable({ protocol, hostname, port }: URL, stop: AbortSignal): Promise<string | null> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  return new Promise((resolve) => {
    const done = (why: string | null) => {
      clearTimeout(timer);
      stop.removeEventListener('abort', stopped);
      socket.destroy();
      resolve(why);
    };
    const socket =
      protocol === 'https:'
        ? secure({ ...at, ALPNProtocols: ['http/1.1'], ...(/[a-z]/i.test(host) ? { servername: host } : {}) }, () =>
            done(null),
          )
        : connect(at, () => done(null));
    const said = (error: NodeJS.ErrnoException) =>
      done(`the service cannot be reached from here (${error.code ?? error.message})`);
    socket.on('error', said);
    const timer = setTimeout(done, PATIENCE_MS, `the service did not take a connection in ${PATIENCE_MS / 1000} s`);
    const stopped = () => done('the call was stopped');
    stop.addEventListener('abort', stopped, { once: true });
    if (stop.aborted) stopped();
  });
}

const PATIENCE_MS = 5_000;
