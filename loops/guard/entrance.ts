// Restores judge files after a killed run and checks the door, before a run reads its task and when earlier calls are settled.

import { callEntries } from '../../state/calls/judge-register.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import type { FoundTask } from '../task/task.ts';
import type { JudgedTask } from './door.ts';
import { acceptChanges, closedBy, doorOf } from './door.ts';
import type { RecoveredJudge } from './left-judge.ts';
import { recoverJudge } from './left-judge.ts';

type Entering = JudgedTask & Pick<RunOptions, 'otherChanges'> & Pick<RunContext, 'clock' | 'say'>;

/** `found`: the task, if it is still as it was found; null if the caller must find it itself. */
type LookedIn = { how: 'open'; found: FoundTask | null } | { how: 'invalid'; message: string };

type Entrance = LookedIn & ({ how: 'open'; recovered: RecoveredJudge } | { how: 'invalid' });

/** Returns `invalid` and a sentence if the task stays closed until the user has checked it. No call has been paid for by then. */
export async function comeIn(entering: Entering): Promise<Entrance> {
  const { otherChanges, clock, say } = entering;
  const door = doorOf(entering);
  // The caller that opens the task reports why it was not found.
  if (door === null) return { how: 'open', recovered: { notes: [], findings: new Map() }, found: null };
  const recovered = isAnyLeft(door)
    ? await recoverJudge({ ...door, clock }, 'before')
    : { notes: [], findings: new Map() };
  for (const note of recovered.notes) say(note);
  if (otherChanges === 'accepted') acceptChanges(door);
  const closed = closedBy(door);
  if (closed !== null) return { how: 'invalid', message: closed };
  // One of the restored files may be the manifest.
  const isAsFound = recovered.notes.length === 0 && recovered.findings.size === 0;
  return { how: 'open', recovered, found: isAsFound ? door : null };
}

/** Most runs find no entry, and then the code that puts files back is not loaded. */
const isAnyLeft = ({ task, register }: { task: { root: string }; register: string }): boolean =>
  callEntries(register).some(({ entry }) => entry.task === task.root);

/** For a caller that only reads the task. Returns `invalid` with the reason why a run would not begin. */
export function lookIn(looking: JudgedTask & Pick<Entering, 'otherChanges'>): LookedIn {
  const found = doorOf(looking);
  const closed = found === null || looking.otherChanges === 'accepted' ? null : closedBy(found);
  return closed === null ? { how: 'open', found } : { how: 'invalid', message: closed };
}
