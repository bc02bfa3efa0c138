// Lists the calls of a task that run now, with the last action of each.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';
import { type Ledger, openCalls, standInsOf } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';
import { eventsOf, lastEvent } from '../task/last-event.ts';

export interface RunningCall {
  task_id: string;
  stage: string;
  tool: Tool;
  /** The replacements that led to this tool, the first one first; empty if it uses the stage's own tool. */
  stand_ins: readonly StandIn[];
  call_id: string;
  attempt: number;
  /** The pid of the wrapper that guards it. */
  pid: number;
  host: string;
  /** The ISO time at which its CLI was started, or else the call was reserved. */
  since: string;
  elapsed_ms: number;
  /** The ISO time at which it is ended at the latest. */
  deadline_at: string;
  /** The last action of its CLI, in a few words; null if there is no output yet. */
  last: string | null;
}

export async function runningCalls(
  task: TaskFolder,
  ledger: Ledger,
  self: ProcessIdentity,
  now: Date,
): Promise<RunningCall[]> {
  const running: RunningCall[] = [];
  for (const call of openCalls(ledger)) {
    const { reserved, started } = call;
    const { stage, tool, call_id, attempt, guardian, deadline_at } = reserved;
    if ((await isAlive(guardian, self)) === 'dead') continue;
    const since = started?.at ?? reserved.at;
    running.push({
      task_id: task.id,
      stage,
      tool,
      stand_ins: standInsOf(ledger, call),
      call_id,
      attempt,
      pid: guardian.pid,
      host: guardian.host,
      since,
      elapsed_ms: Math.max(0, now.getTime() - Date.parse(since)),
      deadline_at,
      last: lastEvent({ stage, tool, events: eventsOf(task, call_id) }),
    });
  }
  return running;
}
