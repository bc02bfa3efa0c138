// Before a run reads anything of its task, and again when its earlier calls are settled: what a run that was killed left is put back, and the door is looked at.

import { callEntries } from '../../state/calls/judge-register.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import type { FoundTask } from '../task/task.ts';
import type { JudgedTask } from './door.ts';
import { acceptChanges, closedBy, doorOf } from './door.ts';
import type { RecoveredJudge } from './left-judge.ts';
import { recoverJudge } from './left-judge.ts';

type Entering = JudgedTask & Pick<RunOptions, 'otherChanges'> & Pick<RunContext, 'clock' | 'say'>;

/** `found`: the task as it was found, and as it still is; null where whoever opens it has to look himself. */
type LookedIn = { how: 'open'; found: FoundTask | null } | { how: 'invalid'; message: string };

type Entrance = LookedIn & ({ how: 'open'; left: RecoveredJudge } | { how: 'invalid' });

/** `invalid` with a sentence where the task stays closed until a person has looked; nothing has been paid by then. */
export async function comeIn(entering: Entering): Promise<Entrance> {
  const { otherChanges, clock, say } = entering;
  const door = doorOf(entering);
  // Whoever opens it says why it cannot be found.
  if (door === null) return { how: 'open', left: { notes: [], findings: new Map() }, found: null };
  const left = isAnyLeft(door) ? await recoverJudge({ ...door, clock }, 'before') : { notes: [], findings: new Map() };
  for (const note of left.notes) say(note);
  if (otherChanges === 'accepted') acceptChanges(door);
  const closed = closedBy(door);
  if (closed !== null) return { how: 'invalid', message: closed };
  // What was put back may be the manifest.
  const isAsFound = left.notes.length === 0 && left.findings.size === 0;
  return { how: 'open', left, found: isAsFound ? door : null };
}

/** Most runs find none, and then what puts back is not loaded. */
const isAnyLeft = ({ task, register }: { task: { root: string }; register: string }): boolean =>
  callEntries(register).some(({ entry }) => entry.task === task.root);

/** For who only looks: `invalid` with why a run would not begin. */
export function lookIn(looking: JudgedTask & Pick<Entering, 'otherChanges'>): LookedIn {
  const found = doorOf(looking);
  const closed = found === null || looking.otherChanges === 'accepted' ? null : closedBy(found);
  return closed === null ? { how: 'open', found } : { how: 'invalid', message: closed };
}
