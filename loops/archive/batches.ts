// Reports of batches that have rested for long are put away, too: their tasks' own reports say the same.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { isSystemError } from '../../state/system-error.ts';
import type { Archiving } from './archive.ts';

export type PutBatch =
  /** @param to where it lies now; null where it was deleted. */
  { how: 'put'; batch_id: string; from: string; to: string | null } | { how: 'left'; batch_id: string; why: string };

/** Ids of the batches that left their report before. @param state the project's `.tmp`. */
export function oldBatches(state: string, before: Date): string[] {
  const folder = path.join(state, 'batch');
  return namesIn(folder).filter((name) => statSync(path.join(folder, name)).mtimeMs < before.getTime());
}

export function putBatchAway(batch_id: string, state: string, { archive, what }: Archiving): PutBatch {
  const from = path.join(state, 'batch', batch_id);
  try {
    if (what === 'delete') {
      rmSync(from, { recursive: true, force: true });
      return { how: 'put', batch_id, from, to: null };
    }
    const to = path.join(archive, 'batch', batch_id);
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    renameSync(from, to);
    return { how: 'put', batch_id, from, to };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'left', batch_id, why: `it cannot be put away (${error.message})` };
  }
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}
