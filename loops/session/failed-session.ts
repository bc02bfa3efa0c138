// Finds the session of a task's last failed call in the records of its calls.

import path from 'node:path';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

interface FailedSession {
  tool: Tool;
  sessionId: string;
  /** The folder in which its CLI ran. */
  cwd: string;
  /** The message of the service. */
  refusal: string | null;
}

/** @returns null if no failed call reported its session. */
export function failedSession(task: TaskFolder): FailedSession | null {
  const failed = recordsIn(task.outputs).filter(
    ({ tool, session_id, verdict }) => isTool(tool) && session_id && verdict?.class,
  );
  const [last] = failed.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  return last === undefined
    ? null
    : { tool: last.tool, sessionId: last.session_id!, cwd: last.cwd, refusal: last.verdict.evidence?.text ?? null };
}

const recordsIn = (folder: string): CallRecord[] =>
  namesIfAny(folder)
    .filter((name) => name.endsWith('.call.json'))
    .map((name) => readJsonIfFit<CallRecord>(path.join(folder, name)))
    .filter((record) => record !== null);
