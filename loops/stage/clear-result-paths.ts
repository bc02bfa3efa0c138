// Moves aside what blocks the paths of a stage's result (a FIFO, a folder, a link), and guards the folders of the result.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { keepFolders, mendFolders } from '../../state/disk/real-folder.ts';
import { isFolder, isRegular, kindOf } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { outputsOf, type TaskFolder, taskFolders } from '../../state/task-folder.ts';

interface ClearedPaths {
  /** A sentence for each thing that was set aside. */
  cleared: string[];
  /** Called after the call, before its results are read. @returns a sentence for each folder. Throws system errors. */
  repair(): string[];
}

/** Runs before the call, as a wrapper refuses paths that it may not write. Throws operating system errors. */
export function clearResultPaths(
  task: TaskFolder,
  stage: { name: string; tool: Tool },
  clock: () => Date,
): ClearedPaths {
  const ofGate = ['gate.json', 'patch', 'acceptance.log'].map((end) => path.join(task.outputs, `${stage.name}.${end}`));
  const files = [...Object.values(outputsOf(task, stage)), ...ofGate, path.join(task.done, `${stage.name}.done`)];
  const cleared = [...clearFolders(task, clock), ...setAsideUnless(isRegular, files, clock)];
  const folders = keepFolders(taskFolders(task));
  return { cleared, repair: () => mendFolders(folders, clock) };
}

/** Otherwise its agent is blamed for what was there before. @returns what was set aside. Throws system errors. */
export function clearFolders({ inputs, outputs, state, done, attempts }: TaskFolder, clock: () => Date): string[] {
  const kept = ['baseline', 'trees'].map((name) => path.join(state, name));
  const ours = [path.join(inputs, 'prompt'), outputs, attempts, ...kept, done];
  return setAsideUnless(isFolder, ours, clock);
}

function setAsideUnless(isFit: (place: string) => boolean, places: readonly string[], clock: () => Date): string[] {
  return places.flatMap((place) => {
    const kind = kindOf(place);
    if (kind === null || isFit(place)) return [];
    return [`${place} was ${kind}; it was set aside as ${path.basename(setAside(place, clock))}`];
  });
}
