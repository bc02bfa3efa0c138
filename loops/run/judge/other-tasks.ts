// The other tasks of the project: which of the files that they are judged by were changed since a moment, by the kernel's own word.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { openJournal } from '../../../state/journal.ts';
import type { Vouched } from '../../../state/judge-register.ts';
import { hasEdits } from '../../../state/stats.ts';
import { type Look, lookAt } from './file-look.ts';
import { isLitter } from './judge-files.ts';

export interface Span {
  fromNs: bigint;
  /** null: until now. */
  toNs: bigint | null;
}

/** The ids of the tasks below `.tmp`. */
export function taskIds(stateFolder: string): string[] {
  try {
    return readdirSync(path.join(stateFolder, 'task'));
  } catch {
    return [];
  }
}

/**
 * @param root of a task.
 * @param vouched files that a run put back, or that a person accepted.
 * @returns relative paths, sorted. Outputs, markers, prompts and the journal are written by runs, and not looked at.
 */
export function changedIn(root: string, span: Span, vouched: Vouched = {}): string[] {
  const isChanged = (file: string, look: Look) =>
    look.changedNs > span.fromNs &&
    (span.toNs === null || look.changedNs <= span.toNs) &&
    vouched[path.relative(root, file)] !== look.stamp;
  const found = [...judgedBy(root)].filter(([file, look]) => isChanged(file, look)).map(([file]) => file);
  const stats = path.join(root, 'state/stats.json');
  const look = lookAt(stats);
  if (look !== null && isChanged(stats, look) && hasEdits(openJournal(root, () => new Date()))) found.push(stats);
  return found.map((file) => path.relative(root, file)).sort();
}

/** The manifest and the inputs, with the folders of these: what was taken away changes its folder. */
export function judgedBy(root: string): Map<string, Look> {
  const found = new Map<string, Look>();
  for (const name of ['manifest.yaml', 'manifest.yml', 'manifest.json']) add(path.join(root, name));
  const inputs = path.join(root, 'inputs');
  const prompts = path.join(inputs, 'prompt');
  walk(inputs);
  // The folder of the composed prompts is made by the task's first run.
  const [folder, made] = [found.get(inputs), lookAt(prompts)];
  if (folder !== undefined && made !== null && isSoonAfter(made.madeNs, folder.changedNs)) found.delete(inputs);
  return found;

  function add(file: string): Look | null {
    const look = lookAt(file);
    if (look !== null) found.set(file, look);
    return look;
  }

  function walk(folder: string): void {
    if (add(folder)?.kind !== 'folder') return;
    for (const name of namesIn(folder)) {
      const file = path.join(folder, name);
      if (file !== prompts && !isLitter(name)) walk(file);
    }
  }
}

const TICK_NS = 20_000_000n;

/** Some disks do not know when a folder was made. */
const isSoonAfter = (first: bigint, then: bigint): boolean => first === 0n || (then >= first && then - first < TICK_NS);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
