// Looks at all tasks of a batch before anything is paid; of each only little is kept, for there may be many thousands.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/tools.ts';
import type { RunRequest } from '../run/run.ts';
import { readTask } from '../run/task.ts';

export interface Candidate {
  /** As it is handed on: an id, or an absolute path. */
  word: string;
  taskId: string;
  /** The tool of its first stage. */
  tool: Tool;
}

export interface Looked {
  tasks: Candidate[];
  bad: { word: string; message: string }[];
}

export async function lookAtTasks(
  words: readonly string[],
  { cwd, environment, trustWorkspace }: Pick<RunRequest, 'cwd' | 'environment' | 'trustWorkspace'>,
  stop: AbortSignal,
): Promise<Looked> {
  const seen = new Set<string>();
  const looked: Looked = { tasks: [], bad: [] };
  for (const given of words) {
    if (stop.aborted) break;
    const word = given.includes('/') ? path.resolve(cwd, given) : given;
    const read = await readTask({ word, cwd, environment, trustWorkspace });
    if (read.how === 'mistaken') {
      looked.bad.push({ word: given, message: read.message });
      continue;
    }
    const root = realpathSync.native(read.task.root);
    if (seen.has(root)) looked.bad.push({ word: given, message: 'this task is named twice' });
    else looked.tasks.push({ word, taskId: read.task.id, tool: read.plans[0]!.stage.tool });
    seen.add(root);
  }
  return looked;
}
