// Lends a gate its private folder, and records its processes, so that the next run or a sweep can end them after a kill.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { endTree, membersOf } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';

/** It is in the attempt that the gate checks, and holds unredacted output until the gate has read it. */
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

/** Adds the first process of a command to the folder's record. The command has just been started. */
export async function recordRoot(folder: string, pid: number): Promise<void> {
  const record = readRecord(folder);
  try {
    if (record !== null) write(folder, { ...record, root: await identify(pid) });
  } catch (error) {
    // A failure is harmless: the process can also be found by its marker.
    if (!isSystemError(error)) throw error;
  }
}

interface LeftoverCommand {
  /** The call whose answer the gate checked. */
  callId: string;
  folder: string;
  /** `elsewhere`: its dispatcher cannot be looked up from here. `stubborn`: at least one of its processes could not be ended. */
  how: 'ended' | 'elsewhere' | 'stubborn';
  /** The number of processes that were still running. */
  processes: number;
}

/** Ends the abandoned processes of these calls' gates and removes their folders, if the dispatcher is dead. Skips live gates. */
export async function endLeftoverCommands(task: TaskFolder, callIds: Iterable<string>): Promise<LeftoverCommand[]> {
  const self = (await identify(process.pid))!;
  const leftovers: LeftoverCommand[] = [];
  for (const callId of callIds)
    for (const folder of gateFolders(path.join(task.attempts, callId))) {
      const record = recordOf(callId, folder);
      if (record === null) continue;
      const life = await isAlive(record.owner, self);
      if (life === 'unknown') leftovers.push({ callId, folder, how: 'elsewhere', processes: 0 });
      if (life === 'dead') leftovers.push(await end(record, callId, folder));
    }
  return leftovers;
}

/** Describes the result in a sentence. */
export function describeLeftover({ folder, how, processes }: LeftoverCommand, taskId: string): string {
  const what = `commands of a gate of ${taskId} that was killed`;
  const gone =
    processes === 0
      ? 'nothing of them ran, and their folder was removed'
      : `${processes} ${processes === 1 ? 'process was' : 'processes were'} ended`;
  return {
    ended: `${what}: ${gone}`,
    elsewhere: `${what} may run elsewhere (${folder})`,
    stubborn: `${what} could not be ended (${folder})`,
  }[how];
}

interface GateOwner {
  owner: ProcessIdentity;
  marker: string;
  /** The first process of the running command; null until it is started. */
  root: ProcessIdentity | null;
}

/** Replaces any earlier record in the folder. */
function recordGate(folder: string, marker: string, owner: ProcessIdentity): void {
  write(folder, { owner, marker, root: null });
}

/** Clears the folder for a new gate. Its caller owns the task, so any earlier gate in it is over. */
async function clearGate(callId: string, marker: string, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await end(recordOf(callId, folder) ?? { owner: null, marker, root: null }, callId, folder);
  rmSync(folder, { recursive: true, force: true });
}

async function end(
  { owner, marker, root }: { owner: ProcessIdentity | null; marker: string; root: ProcessIdentity | null },
  callId: string,
  folder: string,
): Promise<LeftoverCommand> {
  const tree = await foundTree({ marker, root, guardian: owner, folders: [folder] });
  const processes = (await membersOf(tree)).length;
  if (processes > 0) await endTree(tree);
  if (processes > 0 && (await membersOf(tree)).length > 0) return { callId, folder, how: 'stubborn', processes };
  rmSync(folder, { recursive: true, force: true });
  return { callId, folder, how: 'ended', processes };
}

const bearsGate = (marker: string, callId: string, folder: string): boolean => {
  const own = `${callId}/${path.basename(folder)}`;
  return marker === own || marker.endsWith(`/${own}`);
};

function gateFolders(attempt: string): string[] {
  try {
    const entries = readdirSync(attempt, { withFileTypes: true });
    // A symbolic link is not a folder that we made.
    return entries
      .filter((entry) => entry.isDirectory() && /^gate-\w+$/.test(entry.name))
      .map(({ name }) => path.join(attempt, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}

const fileIn = (folder: string) => path.join(folder, 'owner.json');

/** Replaces the file in one step, so that a reader after a kill finds the complete record. */
const write = (folder: string, record: GateOwner): void => replaceText(fileIn(folder), `${JSON.stringify(record)}\n`);

/** Accepts a record only with this gate's marker: an agent may write the file, but its commands bear another. */
function recordOf(callId: string, folder: string): GateOwner | null {
  const record = readRecord(folder);
  return record !== null && bearsGate(record.marker, callId, folder) ? record : null;
}

/** @returns null if the record is missing or invalid. */
function readRecord(folder: string): GateOwner | null {
  const { owner, marker, root } = readJsonIfFit<Partial<GateOwner>>(fileIn(folder)) ?? {};
  const isWhole = isProcessIdentity(owner) && typeof marker === 'string';
  return isWhole && (root === null || isProcessIdentity(root)) ? { owner, marker, root } : null;
}
