// Keeps which tasks of a list are selected: one, a range from the last one, or all that are shown.

import { type ReadonlySignal, useComputed, useMemo, useSignal } from '../reactive.ts';

export interface Selection {
  /** Only tasks that are shown. */
  ids: ReadonlySignal<ReadonlySet<string>>;
  isAll: ReadonlySignal<boolean>;
  /** @param how `range` extends from the task that was changed last. */
  toggle: (id: string, how: 'one' | 'range') => void;
  /** Selects all that are shown, or none if all are. */
  all: () => void;
  clear: () => void;
}

/** @param shown in the order of the list. */
export function useSelection(shown: ReadonlySignal<readonly string[]>): Selection {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const last = useSignal<string | null>(null);
  const ids = useComputed(() =>
    chosen.value.size === 0 ? chosen.value : new Set(shown.value.filter((id) => chosen.value.has(id))),
  );
  const isAll = useComputed(() => ids.value.size > 0 && ids.value.size === shown.value.length);
  return useMemo(
    () => ({
      ids,
      isAll,
      toggle(id, how) {
        const isAdded = !ids.peek().has(id);
        const range = how === 'range' ? between(shown.peek(), last.peek(), id) : [id];
        const next = new Set(ids.peek());
        for (const each of range)
          if (isAdded) next.add(each);
          else next.delete(each);
        chosen.value = next;
        last.value = id;
      },
      all() {
        chosen.value = new Set(isAll.peek() ? [] : shown.peek());
      },
      clear() {
        chosen.value = new Set();
      },
    }),
    [],
  );
}

function between(all: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [from === null ? -1 : all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b);
  return ends[0]! < 0 ? [to] : all.slice(ends[0], ends[1]! + 1);
}
