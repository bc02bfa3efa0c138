// The session of a task's last failing call, by the records that its calls left.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

interface FailedSession {
  tool: Tool;
  sessionId: string;
  /** Where its CLI ran. */
  cwd: string;
}

/** null where no call failed that told of its session. */
export function failedSession(task: TaskFolder): FailedSession | null {
  const failed = recordsIn(task.outputs).filter(
    ({ tool, session_id, verdict }) => isTool(tool) && session_id && verdict?.class,
  );
  const [last] = failed.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  return last === undefined ? null : { tool: last.tool, sessionId: last.session_id!, cwd: last.cwd };
}

function recordsIn(folder: string): CallRecord[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.call.json'));
    return names.flatMap((name) => {
      const record = recordIn(path.join(folder, name));
      return record === null ? [] : [record];
    });
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function recordIn(file: string): CallRecord | null {
  try {
    return JSON.parse(readRegular(file)) as CallRecord | null;
  } catch {
    return null;
  }
}
