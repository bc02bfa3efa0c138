// A CLI's own report of a failure, which it leaves in its $TMPDIR: the error's stack, and the whole conversation that was sent.

import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import type { Adapter, FailureReport } from '../../wrappers/adapter.ts';
import { type Attempt, hasOwnTemporary } from '../attempt/attempt.ts';

export interface ClientError extends FailureReport {
  file: string;
}

/** The last one; null where there is none that can be read. */
export function clientError({ failureReport }: Adapter, attempt: Attempt): ClientError | null {
  if (failureReport === null) return null;
  // Of a call that another process made the folder is only named, in a file that an agent may have written.
  if (!hasOwnTemporary(attempt)) return null;
  const files = namesIfAny(attempt.temporary).filter((name) => name.startsWith(failureReport.begins));
  // A helper's request has a report too; the conversation's own comes last, by the time at its end.
  files.sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const last = files.at(-1);
  if (last === undefined) return null;
  const file = path.join(attempt.temporary, last);
  try {
    return { file, ...failureReport.read(readRegular(file)) };
  } catch {
    // The CLI was ended while it wrote it, or it is no file of its own.
    return null;
  }
}

const timeIn = (name: string): string => /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';
