// Chooses the tasks to show, and their order.

import type { TaskLine } from '../../contract/page.ts';

export const SORTS = ['at', 'task_id', 'state', 'calls', 'usd'] as const;
export type SortKey = (typeof SORTS)[number];

interface Wish {
  text: string;
  state: string;
  sort: SortKey;
  order: 'ascending' | 'descending';
}

/** Returns the ids in order. A row must contain every word of the text. */
export function chosenTasks(all: readonly TaskLine[], { text, state, sort, order }: Wish): string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const some = all.filter((line) => (state === '' || line.state === state) && words.every((word) => has(line, word)));
  const sign = order === 'ascending' ? 1 : -1;
  return some
    .map((line) => ({ id: line.task_id, key: keyOf(line, sort) }))
    .sort((a, b) => sign * compare(a.key, b.key) || compare(a.id, b.id))
    .map(({ id }) => id);
}

const has = (line: TaskLine, word: string): boolean =>
  line.task_id.toLowerCase().includes(word) ||
  (line.goal ?? '').toLowerCase().includes(word) ||
  (line.stage ?? '').toLowerCase().includes(word) ||
  (line.class ?? '').includes(word) ||
  (line.reason ?? '').includes(word) ||
  (line.signature ?? '').startsWith(word);

type Key = string | number;

function keyOf(line: TaskLine, sort: SortKey): Key {
  if (sort === 'calls') return line.calls.used;
  if (sort === 'usd') return line.usd ?? -1;
  return line[sort] ?? '';
}

const compare = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0);

export function countStates(all: readonly TaskLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { state } of all) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
