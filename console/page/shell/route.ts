// Where on the page somebody is, told by the address behind its `#`: `#/tasks/TASK/prompts?q=…`.

import { partOf } from '../live/address.ts';
import { type ReadonlySignal, signal } from '../reactive.ts';

interface Place {
  /** Decoded; the first is the view. */
  parts: string[];
  query: URLSearchParams;
}

const current = signal(routeOf(location.hash));

export const route: ReadonlySignal<Place> = current;

export function followAddress(): void {
  addEventListener('hashchange', () => {
    current.value = routeOf(location.hash);
  });
}

/** The address of a place, each part made safe for it. */
export function to(...parts: string[]): string {
  return `#/${parts.map(partOf).join('/')}`;
}

export function go(address: string): void {
  location.hash = address;
}

/** Changes what stands behind the `?`, without a step to go back to. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(current.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === '') query.delete(name);
    else query.set(name, value);
  const address = to(...current.value.parts);
  const said = query.toString();
  history.replaceState(null, '', said === '' ? address : `${address}?${said}`);
  current.value = routeOf(location.hash);
}

function routeOf(hash: string): Place {
  const [path = '', said = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { parts: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(said) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
