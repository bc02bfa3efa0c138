// Before a run reads anything of its task, and again when its earlier calls are settled: what a run that was killed left is put back, and the door is looked at.

import { callEntries } from '../../state/calls/judge-register.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import type { JudgedTask } from './door.ts';
import { acceptChanges, closedBy, doorOf } from './door.ts';
import type { RecoveredJudge } from './left-judge.ts';

type Entering = JudgedTask & Pick<RunOptions, 'otherChanges'> & Pick<RunContext, 'clock' | 'say'>;

type Entrance = { how: 'open'; left: RecoveredJudge } | { how: 'invalid'; message: string };

/** `invalid` with a sentence where the task stays closed until a person has looked; nothing has been paid by then. */
export async function comeIn(entering: Entering): Promise<Entrance> {
  const { otherChanges, clock, say } = entering;
  const door = doorOf(entering);
  // Whoever opens it says why it cannot be found.
  if (door === null) return { how: 'open', left: { notes: [], findings: new Map() } };
  const left = isAnyLeft(door)
    ? await (await import('./left-judge.ts')).recoverJudge({ ...door, clock }, 'before')
    : { notes: [], findings: new Map() };
  for (const note of left.notes) say(note);
  if (otherChanges === 'accepted') acceptChanges(door);
  const closed = closedBy(door);
  return closed === null ? { how: 'open', left } : { how: 'invalid', message: closed };
}

/** Most runs find none, and then what puts back is not loaded. */
const isAnyLeft = ({ task, register }: { task: { root: string }; register: string }): boolean =>
  callEntries(register).some(({ entry }) => entry.task === task.root);

/** For who only looks: why a run would not begin, or null. */
export function closedFor(looking: JudgedTask & Pick<Entering, 'otherChanges'>): string | null {
  const door = doorOf(looking);
  return door === null || looking.otherChanges === 'accepted' ? null : closedBy(door);
}
