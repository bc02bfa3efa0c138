// Stores the last known line of each task as a separate signal, so that a change of one task redraws one row.

import type { TaskLine } from '../../contract/page.ts';
import { batch, type ReadonlySignal, type Signal, signal } from '../reactive.ts';

const lines = new Map<string, Signal<TaskLine>>();
/** Increases when a task is added or removed, or when a value changes that tasks are sorted or filtered by. */
const changed = signal(0);

export const lineOf = (id: string): ReadonlySignal<TaskLine> | undefined => lines.get(id);

/** Returns all lines. A computation that reads them runs again when the position of a row may have changed. */
export function everyLine(): TaskLine[] {
  void changed.value;
  return [...lines.values()].map((line) => line.peek());
}

/** Replaces all lines with the current ones. */
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

/** @returns whether the position of the line may have changed. */
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
