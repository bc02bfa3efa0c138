// The other tasks of the project: which of the files that they are judged by were changed since a moment, by the kernel's own word.

import path from 'node:path';
import type { FolderNames, Vouched } from '../../state/calls/judge-register.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { hasEdits } from '../../state/journal/stats.ts';
import { type FileLook, isSettled, lookAt } from './file-look.ts';
import { lookAtJudged, NAMELESS, walkInputs } from './folder-names.ts';

interface TimeSpan {
  fromNs: bigint;
  /** null: until now. */
  toNs: bigint | null;
}

/** The ids of the tasks below `.tmp`: a batch asks for each of its calls, and few add a task. */
export function taskIds(stateFolder: string): string[] {
  const folder = path.join(stateFolder, 'task');
  const look = lookAt(folder);
  if (look?.kind !== 'folder') return namesIfAny(folder);
  const known = listed.get(folder);
  if (known?.stamp === look.stamp) return known.ids;
  const ids = namesIfAny(folder);
  listed.clear();
  if (isSettled(look)) listed.set(folder, { stamp: look.stamp, ids });
  return ids;
}

/** As it was listed last. */
const listed = new Map<string, { stamp: string; ids: string[] }>();

/** What does not count as a change. */
interface KnownChanges {
  /** Files that a run put back, or that a person accepted. */
  vouched?: Vouched;
  /** Of its folders when the call began; without it a folder counts as changed when anything was done in it. */
  names?: FolderNames | undefined;
}

/**
 * @param root of a task.
 * @returns relative paths, sorted. Outputs, markers, prompts and the journal are written by runs, and not looked at.
 */
export const changedIn = (root: string, span: TimeSpan, known?: KnownChanges): string[] => changesIn(root)(span, known);

/** Looks at the task once; then tells the same of any time. */
export function changesIn(root: string): (span: TimeSpan, known?: KnownChanges) => string[] {
  const judged = [...judgedBy(root)].map(([file, look]) => [file.slice(root.length + 1), look] as const);
  const stats = lookAtJudged(root, path.join(root, STATS));
  // Of what is in no folder any more only the one above tells the time, and no later one than that of its last change.
  const goneNs = judged.some(([name]) => name === INPUTS) ? null : (lookAt(root)?.changedNs ?? 0n);
  let edited: boolean | null = null;
  const isEdited = () => {
    edited ??= hasEdits(openJournal(root, () => new Date()));
    return edited;
  };
  return ({ fromNs, toNs }, { vouched = {}, names } = {}) => {
    const isChanged = (name: string, { changedNs, stamp, kind }: FileLook) => {
      if (changedNs <= fromNs || (toNs !== null && changedNs > toNs) || vouched[name] === stamp) return false;
      return kind !== 'folder' || names === undefined || (names[name] ?? NAMELESS) !== stamp;
    };
    const found = judged.filter(([name, look]) => isChanged(name, look)).map(([name]) => name);
    if (stats !== null && isChanged(STATS, stats) && isEdited()) found.push(STATS);
    if (goneNs !== null && goneNs > fromNs && names?.[INPUTS] !== undefined && vouched[INPUTS] !== '')
      found.push(INPUTS);
    return found.sort();
  };
}

const STATS = 'state/stats.json';
const INPUTS = 'inputs';

/** The manifest and the inputs, with the folders of these: what was taken away changes the names in its folder. */
export function judgedBy(root: string): Map<string, FileLook> {
  const found = new Map<string, FileLook>();
  for (const name of ['manifest.yaml', 'manifest.yml', 'manifest.json']) {
    const file = path.join(root, name);
    const look = lookAtJudged(root, file);
    if (look !== null) found.set(file, look);
  }
  walkInputs(root, (file, look) => found.set(file, look));
  return found;
}
