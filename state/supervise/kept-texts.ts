// Stores a supervision's texts (instructions, user notes), named by SHA-256 and on disk before anything is paid for them.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { writeAtomic } from '../atomic-file.ts';
import { readRegularOrNull } from '../disk/regular-file.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import type { TaskFolder } from '../task-folder.ts';

const fileOf = ({ state }: Pick<TaskFolder, 'state'>, sha256: string): string =>
  path.join(state, 'supervise', `${sha256}.md`);

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** @returns its hash. An existing complete file is not written again. */
export async function keepText(task: Pick<TaskFolder, 'state'>, text: string): Promise<string> {
  const sha256 = hashOf(text);
  const file = fileOf(task, sha256);
  if (wholeOrNull(file, sha256) === null) await writeAtomic(file, text);
  return sha256;
}

/** Returns exactly the bytes that were stored; a worker never gets a part of them, or another text. */
export function keptText(task: Pick<TaskFolder, 'state'>, sha256: string): string {
  const file = fileOf(task, sha256);
  const text = wholeOrNull(file, sha256);
  if (text !== null) return text;
  throw new StrangeStateError(
    `${file} is gone or was changed, and the instruction in it is what the worker would receive; put it back, or start over with --anew`,
  );
}

function wholeOrNull(file: string, sha256: string): string | null {
  const text = readRegularOrNull(file, MAX_BYTES);
  return text !== null && hashOf(text) === sha256 ? text : null;
}

const MAX_BYTES = 1024 * 1024;
