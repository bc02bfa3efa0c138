// Records changes in other tasks during calls that have ended, for the doors of those tasks.

import path from 'node:path';
import { namesIn, noteChange, vouchedIn } from '../../state/calls/judge-register.ts';
import type { UnseenCall } from '../task/unseen-calls.ts';
import { changesIn } from './other-tasks.ts';
import { hasYounger } from './younger-files.ts';

/**
 * Examines each task that existed when a call began. One look at a task serves all calls.
 * @returns a sentence for each call during which something was changed.
 */
export function noteChanges(register: string, calls: readonly UnseenCall[]): Map<UnseenCall, string> {
  const changed = new Map<UnseenCall, string[]>();
  for (const [root, those] of rootsOf(calls)) {
    const beganMs = Math.min(...those.map(({ beganNs }) => Number(beganNs / 1_000_000n)));
    if (!hasYounger(root, beganMs)) continue;
    const during = changesDuring(register, root);
    for (const call of those) {
      const files = during(call);
      if (files.length > 0)
        changed.set(call, [
          ...(changed.get(call) ?? []),
          `${path.basename(root)} (${files.slice(0, NAMED).join(', ')})`,
        ]);
    }
  }
  return new Map([...changed].map(([call, tasks]) => [call, sentenceOf(tasks)]));
}

const sentenceOf = (tasks: readonly string[]): string =>
  `files that other tasks are judged by were changed while this call ran: ${tasks.slice(0, NAMED).join('; ')}; a run of such a task stops and says so`;

const NAMED = 3;

/** Returns each task with the calls of other tasks that might have changed it. */
function rootsOf(calls: readonly UnseenCall[]): Map<string, UnseenCall[]> {
  const roots = new Map<string, UnseenCall[]>();
  for (const call of calls) {
    const folder = path.join(call.entry.state_folder, 'task');
    for (const id of call.entry.tasks) {
      const root = `${folder}${path.sep}${id}`;
      if (root === call.entry.task) continue;
      const those = roots.get(root);
      if (those === undefined) roots.set(root, [call]);
      else those.push(call);
    }
  }
  return roots;
}

/** Returns a function for one task that lists and records the files that changed during a call. */
function changesDuring(register: string, root: string): (call: UnseenCall) => string[] {
  const changed = changesIn(root);
  const vouched = vouchedIn(register, root);
  return ({ entry, beganNs, to, toNs }) => {
    const files = changed({ fromNs: beganNs, toNs }, { vouched, names: namesIn(entry, path.basename(root)) });
    if (files.length === 0) return [];
    const { task_id, stage, call_id } = entry;
    const by = { task_id, stage, call_id, from: new Date(Number(beganNs / 1_000_000n)).toISOString(), to };
    noteChange(register, { task: root, by, files });
    return files;
  };
}
