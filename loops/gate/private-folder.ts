// Lends the gate a private folder in the attempt that it checks, which holds unredacted output until the gate has read it.

import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { clearGate, recordGate } from './leftover-commands.ts';

interface PrivateFolder {
  folder: string;
  /** An empty file in the folder. */
  nothing: string;
  /** The marker of every process that is started here. */
  marker: string;
}

/** Creates the folder, lends it, and removes it in any case. First ends the processes that a killed gate left in it. */
export async function withPrivateFolder<T>(
  { task, callId, environment }: { task: TaskFolder; callId: string; environment: NodeJS.ProcessEnv },
  what: string,
  use: (lent: PrivateFolder) => Promise<T>,
): Promise<T> {
  const folder = path.join(task.attempts, callId, `gate-${what}`);
  const marker = markerOf(`${callId}/gate-${what}`, environment);
  await clearGate(callId, marker, folder);
  makeFolders(folder);
  const nothing = path.join(folder, 'nothing');
  writeFileSync(nothing, '', { mode: 0o600 });
  recordGate(folder, marker, (await identify(process.pid))!);
  try {
    return await use({ folder, nothing, marker });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
