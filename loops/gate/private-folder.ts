// A folder of the gate's own in the attempt that it judges: unredacted output lies there until it is told, and no longer.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { clearGate, recordGate } from './left-commands.ts';

interface PrivateFolder {
  folder: string;
  /** A file of it that is empty. */
  nothing: string;
  /** What everything that is started here bears. */
  marker: string;
}

/** Makes it, lends it, and takes it away whatever happens. What a gate that died here left running is ended first. */
export async function withPrivateFolder<T>(
  { task, callId, environment }: { task: TaskFolder; callId: string; environment: NodeJS.ProcessEnv },
  what: string,
  use: (lent: PrivateFolder) => Promise<T>,
): Promise<T> {
  const folder = path.join(task.attempts, callId, `gate-${what}`);
  const marker = markerOf(`${callId}/gate-${what}`, environment);
  await clearGate(callId, marker, folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const nothing = path.join(folder, 'nothing');
  writeFileSync(nothing, '', { mode: 0o600 });
  recordGate(folder, marker, (await identify(process.pid))!);
  try {
    return await use({ folder, nothing, marker });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
