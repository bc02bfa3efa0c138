// Takes out of the way what somebody put where a stage's result will be (a FIFO, a folder, a link), and keeps the folders that it goes to.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { keepFolders, mendFolders } from '../../state/disk/real-folder.ts';
import { isFolder, isRegular, kindOf } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/set-aside.ts';
import { outputsOf, type TaskFolder, taskFolders } from '../../state/task-folder.ts';

interface ClearedPaths {
  /** A sentence for each that was set aside. */
  cleared: string[];
  /** Once the call is over, before anything of it is read. @returns a sentence for each folder that was put right; throws what the operating system throws */
  mend(): string[];
}

/** Before the call, which a wrapper refuses where it may not write. Throws what the operating system throws. */
export function clearResultPaths(
  task: TaskFolder,
  stage: { name: string; tool: Tool },
  clock: () => Date,
): ClearedPaths {
  const ofGate = ['gate.json', 'patch', 'acceptance.log'].map((end) => path.join(task.outputs, `${stage.name}.${end}`));
  const files = [...Object.values(outputsOf(task, stage)), ...ofGate, path.join(task.done, `${stage.name}.done`)];
  const cleared = [...clearFolders(task, clock), ...setAsideUnless(isRegular, files, clock)];
  const folders = keepFolders(taskFolders(task));
  return { cleared, mend: () => mendFolders(folders, clock) };
}

/** Else what stood there before the call would be taken for its agent's doing. @returns and throws the same */
export function clearFolders({ inputs, outputs, state, done, attempts }: TaskFolder, clock: () => Date): string[] {
  const ours = [path.join(inputs, 'prompt'), outputs, attempts, path.join(state, 'baseline'), done];
  return setAsideUnless(isFolder, ours, clock);
}

function setAsideUnless(isFit: (place: string) => boolean, places: readonly string[], clock: () => Date): string[] {
  return places.flatMap((place) => {
    const kind = kindOf(place);
    if (kind === null || isFit(place)) return [];
    return [`${place} was ${kind}; it was set aside as ${path.basename(setAside(place, clock))}`];
  });
}
