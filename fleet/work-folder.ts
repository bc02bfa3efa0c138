// Holds the work folder of a worker: one worker at a time, and one name of its machine over all restarts.

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../policies/facts/process-identity.ts';
import { makeFolders } from '../state/disk/folder.ts';
import { readJsonIfFit } from '../state/disk/regular-file.ts';
import { publishText } from '../state/disk/replace-file.ts';
import { userState } from '../state/task-folder.ts';
import { identify, isAlive } from '../wrappers/processes/identity.ts';
import { FleetRefusal } from './refusal.ts';

export interface WorkFolder {
  folder: string;
  /** Whose journals are in the folder. */
  machine: string;
  /** `unknown`: the worker before was in another container, or on another host that shares the folder. */
  before: 'none' | 'dead' | 'unknown';
  leaseFile(task: string): string;
}

/** Throws a {@link FleetRefusal} if another worker uses the folder. */
export async function openWorkFolder(wanted: string | undefined, environment: NodeJS.ProcessEnv): Promise<WorkFolder> {
  const user = userState(environment);
  if (wanted === undefined && user === null)
    throw new FleetRefusal('there is no folder for the tasks of this worker; give one: --folder DIR');
  const folder = path.resolve(wanted ?? path.join(user!, 'fleet'));
  makeFolders(path.join(folder, 'leases'));
  const file = path.join(folder, 'worker.json');
  const self = (await identify(process.pid))!;
  const found = readJsonIfFit<{ machine?: unknown; owner?: unknown }>(file);
  const owner: ProcessIdentity | null = isProcessIdentity(found?.owner) ? found.owner : null;
  const life = owner === null ? 'none' : await isAlive(owner, self);
  if (life === 'alive' && owner!.pid !== self.pid)
    throw new FleetRefusal(`another worker (pid ${owner!.pid}) uses ${folder}; give this one its own: --folder DIR`);
  const machine = typeof found?.machine === 'string' ? found.machine : randomUUID();
  publishText(file, `${JSON.stringify({ machine, owner: self }, null, 2)}\n`);
  const before = life === 'alive' ? 'dead' : life;
  return { folder, machine, before, leaseFile: (task) => path.join(folder, 'leases', `${task}.json`) };
}
