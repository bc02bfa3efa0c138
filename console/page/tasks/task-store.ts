// All tasks as the server last told them: each a signal of its own, so that a change of one draws one row anew.

import type { TaskLine } from '../../contract/page.ts';
import { batch, type ReadonlySignal, type Signal, signal } from '../reactive.ts';

const lines = new Map<string, Signal<TaskLine>>();
/** One more whenever a task came or went, or what it is sorted or chosen by has changed. */
const changed = signal(0);

export const lineOf = (id: string): ReadonlySignal<TaskLine> | undefined => lines.get(id);

/** All of them; read within a computation, it is made anew when a row may stand elsewhere. */
export function everyLine(): TaskLine[] {
  void changed.value;
  return [...lines.values()].map((line) => line.peek());
}

/** As they all stand now. */
export function replaceLines(all: readonly TaskLine[]): void {
  batch(() => {
    const there = new Set(all.map(({ task_id }) => task_id));
    for (const id of lines.keys()) if (!there.has(id)) lines.delete(id);
    for (const line of all) put(line);
    changed.value += 1;
  });
}

export function changeLines(some: readonly TaskLine[], gone: readonly string[]): void {
  batch(() => {
    let isMoved = false;
    for (const line of some) isMoved = put(line) || isMoved;
    for (const id of gone) isMoved = lines.delete(id) || isMoved;
    if (isMoved) changed.value += 1;
  });
}

/** Whether it may stand elsewhere now. */
function put(line: TaskLine): boolean {
  const known = lines.get(line.task_id);
  if (known === undefined) {
    lines.set(line.task_id, signal(line));
    return true;
  }
  const before = known.peek();
  known.value = line;
  return KEYS.some((key) => before[key] !== line[key]) || before.calls.used !== line.calls.used;
}

const KEYS = ['state', 'at', 'stage', 'class', 'reason', 'usd'] as const;
