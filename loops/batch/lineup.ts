// The tasks that still wait to be begun: next comes one whose tool has the fewest at work, so that tools are mixed from the start.

import type { Tool } from '../../policies/facts/tools.ts';

interface Lineup<T> {
  /** null when none is left. */
  next(): T | null;
  /** One that was begun has ended. */
  end(one: T): void;
}

/** In the order given among those of one tool. */
export function lineUp<T extends { tool: Tool }>(all: readonly T[]): Lineup<T> {
  const lanes = new Map<Tool, { waiting: T[]; from: number; active: number }>();
  for (const one of all) {
    const lane = lanes.get(one.tool) ?? { waiting: [], from: 0, active: 0 };
    lane.waiting.push(one);
    lanes.set(one.tool, lane);
  }
  return {
    next() {
      const open = [...lanes.values()].filter(({ waiting, from }) => from < waiting.length);
      const lane = open.sort((a, b) => a.active - b.active)[0];
      if (lane === undefined) return null;
      lane.active += 1;
      return lane.waiting[lane.from++]!;
    },
    end({ tool }) {
      lanes.get(tool)!.active -= 1;
    },
  };
}
