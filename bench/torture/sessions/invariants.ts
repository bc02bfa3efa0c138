// Checks the traces that the tools of a round wrote, whatever struck it.

import type { SessionTask } from './plan.ts';

export interface SessionViolation {
  what: 'twice' | 'elsewhere' | 'undone';
  why: string;
}

/**
 * @param traces the traces of each folder, one token per line.
 * @param done the tasks that ended well.
 */
export function checkTraces(
  tasks: readonly SessionTask[],
  traces: Readonly<Record<SessionTask['cwd'], readonly string[]>>,
  done: ReadonlySet<string>,
): SessionViolation[] {
  return tasks.flatMap(({ id, cwd }) => {
    const found: SessionViolation[] = [];
    const token = tokenOf(id);
    const all = Object.entries(traces).flatMap(([folder, lines]) =>
      lines.filter((line) => line === token).map(() => folder),
    );
    if (all.length > 1) found.push({ what: 'twice', why: `${token} in ${all.join(' and ')}` });
    const strange = all.find((folder) => folder !== cwd);
    if (strange !== undefined) found.push({ what: 'elsewhere', why: `${token} of ${cwd} in ${strange}` });
    if (done.has(id) && all.length === 0) found.push({ what: 'undone', why: `${id} is done without its ${token}` });
    return found;
  });
}

/** The token is in the goal of the task, and in the trace once its tool has run. */
export const tokenOf = (id: string): string => `TOKEN-${id}`;
