// Finds the judge files of other tasks that changed within a time span, by the kernel's change times.

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

/**
 * Lists the ids of the tasks below `.tmp`. The list is cached, because a batch requests it for each call and few calls add a
 * task.
 */
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

/** The latest list. */
const listed = new Map<string, { stamp: string; ids: string[] }>();

/** What does not count as a change. */
interface KnownChanges {
  /** Files that a run put back, or that the user accepted. */
  vouched?: Vouched;
  /** The names in its folders when the call began. Without them, any write in a folder counts as a change. */
  names?: FolderNames | undefined;
}

/**
 * @param root the folder of a task.
 * @returns relative paths, sorted. Outputs, markers, prompts and the journal are not examined, because runs write them.
 */
export const changedIn = (root: string, span: TimeSpan, known?: KnownChanges): string[] => changesIn(root)(span, known);

/** Examines the task once. The returned function answers for any time span from that state. */
export function changesIn(root: string): (span: TimeSpan, known?: KnownChanges) => string[] {
  const judged = [...judgedBy(root)].map(([file, look]) => [file.slice(root.length + 1), look] as const);
  const stats = lookAtJudged(root, path.join(root, STATS));
  // If a whole folder is gone, only the folder above shows when. That time is not earlier than the removal.
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

/** Lists the manifest and the inputs with their folders: a removed file changes the names in its folder. */
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
