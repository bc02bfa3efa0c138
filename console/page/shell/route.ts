// Lists the views, and derives the current place from the address after its `#`: `#/tasks/TASK/prompts?q=…`.

import { partOf } from '../live/requests.ts';
import { hasFleet } from '../live/stream.ts';
import type { IconName } from '../parts/icon.tsx';
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

/** Returns the address of a place, with each part encoded. */
export function to(...parts: string[]): string {
  return `#/${parts.map(partOf).join('/')}`;
}

export function go(address: string): void {
  location.hash = address;
}

/** Changes the query after the `?`, without a new entry in the history. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(current.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === '') query.delete(name);
    else query.set(name, value);
  const address = to(...current.value.parts);
  const search = query.toString();
  history.replaceState(null, '', search === '' ? address : `${address}?${search}`);
  current.value = routeOf(location.hash);
}

function routeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { parts: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Lists the views of the page, in the order of the rail. */
const ALL_VIEWS = [
  { id: 'now', name: 'Now', key: 'n' },
  { id: 'tasks', name: 'Tasks', key: 't' },
  { id: 'failures', name: 'Failures', key: 'f' },
  { id: 'new', name: 'New task', key: 'w' },
  { id: 'compare', name: 'Compare', key: 'c' },
  { id: 'budgets', name: 'Budgets', key: 'b' },
  { id: 'sessions', name: 'Sessions', key: 's' },
  { id: 'batch', name: 'Batches', key: 'a' },
  { id: 'supervise', name: 'Supervise', key: 'v' },
  { id: 'distill', name: 'Distill', key: 'd' },
  { id: 'machine', name: 'Machine', key: 'm' },
  { id: 'fleet', name: 'Fleet', key: 'l' },
] as const satisfies readonly { id: IconName; name: string; key: string }[];

/** Without a fleet there is no view of it. */
export const listedViews = (): readonly (typeof ALL_VIEWS)[number][] =>
  ALL_VIEWS.filter(({ id }) => id !== 'fleet' || hasFleet.value);
