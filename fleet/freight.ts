// Puts a packed task and its result into the rows of the database, and reads them.

import type { RunOptions } from '../loops/task/run-options.ts';
import type { PackedTask } from './travel/pack.ts';
import type { PackedResult } from './travel/result.ts';

/** What a worker needs beside the bundle. */
export interface TaskMeta {
  packed: Omit<PackedTask, 'bundle'> & { bundle?: { shared: string } };
  /** The shared folder of the submitter; null for none. */
  shared: string | null;
  options: Pick<RunOptions, 'trustWorkspace'>;
}

export function taskColumns({ bundle, ...packed }: PackedTask, more: Omit<TaskMeta, 'packed'>) {
  const isInRow = Buffer.isBuffer(bundle);
  const meta: TaskMeta = { packed: isInRow ? packed : { ...packed, bundle }, ...more };
  return { meta: JSON.stringify(meta), bundle: isInRow ? bundle : null };
}

export const packedFrom = ({ packed }: TaskMeta, bundle: Buffer | null): PackedTask => ({
  ...packed,
  bundle: bundle ?? packed.bundle!,
});

export function resultColumns({ result, ...packed }: PackedResult) {
  const isInRow = Buffer.isBuffer(result);
  return { meta: JSON.stringify(isInRow ? packed : { ...packed, result }), result: isInRow ? result : null };
}

export const resultFrom = (
  meta: Omit<PackedResult, 'result'> & { result?: { shared: string } },
  result: Buffer | null,
): PackedResult => ({ ...meta, result: result ?? meta.result! });
