// Moves or deletes old reports of batches, which only repeat the reports of their tasks.

import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { entriesIn, makeFolders } from '../../state/disk/folder.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Archiving } from './archive.ts';

export type PutBatch =
  /** @param to the new place; null if the report was deleted. */
  { how: 'put'; batch_id: string; from: string; to: string | null } | { how: 'left'; batch_id: string; why: string };

/**
 * Returns the ids of the batches whose last report is older than `before`.
 * @param state the project's `.tmp`.
 */
export function oldBatches(state: string, before: Date): string[] {
  const folder = path.join(state, 'batch');
  return foldersIn(folder).filter((name) => (lookAt(path.join(folder, name))?.mtimeMs ?? Infinity) < before.getTime());
}

/** Moves or deletes the report of one batch. Returns an error of the disk as a result with its reason. */
export function putBatchAway(batch_id: string, state: string, { archive, what }: Archiving): PutBatch {
  const from = path.join(state, 'batch', batch_id);
  try {
    if (what === 'delete') {
      rmSync(from, { recursive: true, force: true });
      return { how: 'put', batch_id, from, to: null };
    }
    const to = path.join(archive, 'batch', batch_id);
    makeFolders(path.dirname(to));
    renameSync(from, to);
    return { how: 'put', batch_id, from, to };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'left', batch_id, why: `it cannot be put away (${error.message})` };
  }
}

const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
