// What a gate that was killed left running: recorded while it runs, so that the next run or a sweep can end it.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { endTree, membersOf } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';

interface LeftCommand {
  /** Of the answer that the gate looked at. */
  callId: string;
  /** The gate's private folder. */
  folder: string;
  /** `elsewhere`: its dispatcher cannot be looked up from here. `stubborn`: something of it could not be ended. */
  how: 'ended' | 'elsewhere' | 'stubborn';
  /** How many processes still ran. */
  processes: number;
}

interface GateOwner {
  owner: ProcessIdentity;
  marker: string;
  /** The first process of the command that runs; null until it is started. */
  root: ProcessIdentity | null;
}

/** Replaces what was recorded there before. */
export function recordGate(folder: string, marker: string, owner: ProcessIdentity): void {
  write(folder, { owner, marker, root: null });
}

/** Of a command that was just started in a folder that was recorded. */
export async function recordRoot(folder: string, pid: number): Promise<void> {
  const record = readRecord(folder);
  try {
    if (record !== null) write(folder, { ...record, root: await identify(pid) });
  } catch (error) {
    // It bears the marker all the same.
    if (!isSystemError(error)) throw error;
  }
}

/** Ends what gates of these calls left whose dispatcher is dead, and takes their folders away. One that lives is left. */
export async function endLeftCommands(task: TaskFolder, callIds: Iterable<string>): Promise<LeftCommand[]> {
  const self = (await identify(process.pid))!;
  const left: LeftCommand[] = [];
  for (const callId of callIds)
    for (const folder of gateFolders(path.join(task.attempts, callId))) {
      const record = recordOf(callId, folder);
      if (record === null) continue;
      const life = await isAlive(record.owner, self);
      if (life === 'unknown') left.push({ callId, folder, how: 'elsewhere', processes: 0 });
      if (life === 'dead') left.push(await end(record, callId, folder));
    }
  return left;
}

/** Makes way for a gate in that folder: whoever may begin one there has the task, so that an earlier one is over. */
export async function clearGate(callId: string, marker: string, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await end(recordOf(callId, folder) ?? { owner: null, marker, root: null }, callId, folder);
  rmSync(folder, { recursive: true, force: true });
}

/** In a sentence. */
export function tellLeft({ folder, how, processes }: LeftCommand, taskId: string): string {
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

type Left = Omit<GateOwner, 'owner'> & { owner: ProcessIdentity | null };

async function end({ owner, marker, root }: Left, callId: string, folder: string): Promise<LeftCommand> {
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
    // A link is no folder of ours.
    return entries
      .filter((entry) => entry.isDirectory() && /^gate-\w+$/.test(entry.name))
      .map(({ name }) => path.join(attempt, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}

const fileIn = (folder: string) => path.join(folder, 'owner.json');

/** Whoever comes after a kill finds the whole record. */
const write = (folder: string, record: GateOwner): void => replaceText(fileIn(folder), `${JSON.stringify(record)}\n`);

/** The marker tells whose it is; an agent may have written the file, but a command of its own bears another. */
function recordOf(callId: string, folder: string): GateOwner | null {
  const record = readRecord(folder);
  return record !== null && bearsGate(record.marker, callId, folder) ? record : null;
}

/** null for what cannot be gone by, or none. */
function readRecord(folder: string): GateOwner | null {
  const { owner, marker, root } = readJsonIfFit<Partial<GateOwner>>(fileIn(folder)) ?? {};
  const isWhole = isProcessIdentity(owner) && typeof marker === 'string';
  return isWhole && (root === null || isProcessIdentity(root)) ? { owner, marker, root } : null;
}
