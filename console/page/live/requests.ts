// Sends requests to the server, repeats failed ones, and loads late scripts; a failure carries a message and what to do.

import { type Actions, type Changed, PAGE_HEADER, type PageShown, type RefusedRequest } from '../../contract/page.ts';
import { type Signal, signal } from '../reactive.ts';
import { tellDone, tellProblem } from '../shell/notes.tsx';

export interface Trouble {
  what: string;
  wayOut: string | null;
  /** `a while`: the same request can succeed later, even if nothing has changed. */
  lasts: 'a while' | 'until it changes';
  /** Whether the server has nothing of that name. */
  isMissing?: true;
}

type Reply<T> = { how: 'ok'; value: T } | { how: 'failed'; problem: Trouble };

export const read = <T>(path: string, stop?: AbortSignal): Promise<Reply<T>> =>
  ask<T>(path, stop === undefined ? {} : { signal: stop });

/** The token that the server gave this page, and requires with each change. */
const token = signal('');

export function keepToken(given: string): void {
  token.value = given;
}

/** Sends a change, or a question that has a body. If the page does not have its token yet, fetches the token first. */
export async function write<T>(path: keyof Actions, wish: object): Promise<Reply<T>> {
  if (token.value === '') {
    const page = await read<PageShown>('/api/page');
    if (page.how === 'failed') return page;
    keepToken(page.value.token);
  }
  return ask<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [PAGE_HEADER]: token.value },
    body: JSON.stringify(wish),
  });
}

/** Finds out why a stream is refused, which it does not report. @returns null if it would be accepted. */
export async function refusalOf(path: string): Promise<Trouble | null> {
  const stop = new AbortController();
  try {
    const response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', signal: stop.signal });
    if (response.ok) return null;
    return problemIn(parsed(await response.text().catch(() => '')), response.status);
  } catch {
    return SERVER_GONE.problem;
  } finally {
    stop.abort();
  }
}

async function ask<T>(path: string, init: RequestInit): Promise<Reply<T>> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return failed('It was not waited for.', null, 'until it changes');
    return SERVER_GONE;
  }
  const body = await response.text().catch(() => '');
  const value = parsed(body);
  if (response.ok && value !== undefined) return { how: 'ok', value: value as T };
  return { how: 'failed', problem: problemIn(value, response.status) };
}

const failed = (what: string, wayOut: string | null, lasts: Trouble['lasts']) =>
  ({ how: 'failed', problem: { what, wayOut, lasts } }) as const;

const SERVER_GONE = failed(
  'The console does not answer any more.',
  'It was ended, or the machine is busy. Start it again with tollgate console, and open the address that it prints.',
  'a while',
);

function problemIn(value: unknown, status: number): Trouble {
  const { message, way_out: wayOut } = (value ?? {}) as Partial<RefusedRequest>;
  const lasts = status === 429 || status >= 500 ? 'a while' : 'until it changes';
  const missing = status === 404 ? ({ isMissing: true } as const) : {};
  if (typeof message === 'string')
    return { what: message, wayOut: typeof wayOut === 'string' ? wayOut : null, lasts, ...missing };
  return { what: `The console answered ${status}, and nothing that can be read.`, wayOut: 'Reload the page.', lasts };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Any text as one part of an address, which cannot contain half of a surrogate pair. */
export const partOf = (text: string): string => encodeURIComponent(text.toWellFormed());

const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

interface Again {
  /** The request failed: schedules the next one. */
  later: () => void;
  /** The request succeeded, or is not repeated: the next series begins with the shortest wait. */
  rest: () => void;
}

/**
 * Repeats a failed request: after one second at first, then at longer intervals, until it succeeds or is cancelled.
 * @param at ISO time of the next request; null if none is scheduled.
 */
export function againBy(ask: () => void, at: Signal<string | null>): Again {
  let times = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    at.value = null;
  };
  return {
    later() {
      end();
      const waitMs = WAITS_MS[Math.min(times, WAITS_MS.length - 1)]!;
      times += 1;
      at.value = new Date(Date.now() + waitMs).toISOString();
      timer = setTimeout(() => {
        at.value = null;
        ask();
      }, waitMs);
    },
    rest() {
      end();
      times = 0;
    },
  };
}

/** Calls the command's function in the server. @returns null if it made the change, which the page announces. */
export async function change<P extends keyof Actions>(path: P, wish: Actions[P]): Promise<Trouble | null> {
  const answered = await write<Changed>(path, wish);
  if (answered.how === 'failed') return answered.problem;
  const { says, failed: hasFailed } = answered.value;
  if (hasFailed) tellProblem({ what: says, wayOut: null });
  else tellDone(says);
  return null;
}

/** The same, for a caller that shows the result itself. @returns what was done, or the problem. */
export async function changeQuietly<P extends keyof Actions>(path: P, wish: Actions[P]): Promise<string | Trouble> {
  const answered = await write<Changed>(path, wish);
  return answered.how === 'failed' ? answered.problem : answered.value.says;
}

type Scripts = { createScript(text: string): string };

/** The policy of the page allows only this one, and the browser runs only a text whose hash the server named. */
const scripts = (
  globalThis as { trustedTypes?: { createPolicy(name: string, rules: Scripts): Scripts } }
).trustedTypes?.createPolicy('late-script', { createScript: (text) => text });

/** Loads a script that only some views need. @param name of the one global function that it defines. */
export async function loadLate<Offered>(file: 'editor.js' | 'colours.js', name: string): Promise<Offered | Trouble> {
  const loaded = globalThis as Record<string, unknown>;
  if (loaded[name] === undefined) {
    const response = await fetch(`/${file}`, { credentials: 'same-origin', cache: 'no-store' }).catch(() => null);
    const text = response?.ok ? await response.text().catch(() => null) : null;
    if (text === null)
      return { what: `The script ${file} could not be loaded.`, wayOut: 'Reload the page.', lasts: 'a while' };
    const script = document.createElement('script');
    script.text = scripts?.createScript(text) ?? text;
    document.head.append(script);
    script.remove();
  }
  return loaded[name] as Offered;
}
