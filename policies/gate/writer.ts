// Finds the stage whose work a stage judges, and which stages a new answer of that writer affects.

import type { Tool } from '../facts/tools.ts';
import type { WayOutWriter } from './way-out.ts';

export interface StageInLine {
  name: string;
  tool: Tool;
  role: string;
  /** The stage may write, and must leave a change. */
  writes: boolean;
  /** Roles whose answers are included in its prompt. */
  reads: readonly string[];
}

/**
 * Returns the stage itself if it writes; null if no stage up to it writes.
 * @param line the task's stages, in order.
 */
export function writerOf(line: readonly StageInLine[], stage: string): WayOutWriter | null {
  const until = line.slice(0, line.findIndex(({ name }) => name === stage) + 1);
  const writer = until.findLast(({ writes }) => writes);
  if (writer === undefined) return null;
  const changed = new Set([writer.role]);
  const after: string[] = [];
  for (const one of until.slice(until.indexOf(writer) + 1)) {
    if (!one.reads.some((role) => changed.has(role))) continue;
    after.push(one.name);
    changed.add(one.role);
  }
  return { stage: writer.name, tool: writer.tool, after };
}

/**
 * Returns the stages up to the judge that answered before the writer's last answer, and so do not know its new work. Empty if the
 * judge has seen it.
 * @param answered stages in the order of their last answers.
 */
export function outdatedBy(writer: WayOutWriter, judge: string, answered: readonly string[]): string[] {
  const before = answered.slice(0, Math.max(0, answered.indexOf(writer.stage)));
  if (!before.includes(judge)) return [];
  return [...new Set([...writer.after, judge])].filter((stage) => before.includes(stage));
}
