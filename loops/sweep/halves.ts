// What a wrapper was writing when it was killed: a half file beside each one that it was to publish.

import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { rawOf } from '../../policies/facts/raw-file.ts';
import { temporaryPrefix } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { WrapperRequest } from '../attempt/request.ts';

/** @param pid of the wrapper, which is dead. Those of a sweep that was killed itself stay. */
export function removeHalves({ prompt: _, out, ...files }: WrapperRequest['files'], pid: number): void {
  for (const file of [out, rawOf(out), ...Object.values(files)]) if (file !== null) removeBeside(file, pid);
}

function removeBeside(file: string, pid: number): void {
  const folder = path.dirname(file);
  const prefix = temporaryPrefix(file, pid);
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || !/^\d+$/.test(name.slice(prefix.length))) continue;
      const half = path.join(folder, name);
      const found = lstatSync(half);
      if (found.isFile() && found.uid === process.getuid?.()) unlinkSync(half);
    }
  } catch (error) {
    // What cannot be taken away is in nobody's way.
    if (!isSystemError(error)) throw error;
  }
}
