// Where a call's files may lie: never over a device, a FIFO or a socket, which would be replaced by a regular file.

import { realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { rawOf } from '../../policies/raw-file.ts';
import type { WrapperRequest } from './request.ts';

export interface Place {
  /** The flag that names it, as a message says it. */
  flag: string;
  file: string;
}

/** Every file that a call writes, the event stream beside the answer too. */
export function placesOf({ out, err, result, sessionIdOut, doneMarker, pidFile }: WrapperRequest['files']): Place[] {
  const named = {
    '--out': out,
    'the event stream beside --out': rawOf(out),
    '--err': err,
    '--result': result,
    '--session-id-out': sessionIdOut,
    '--done-marker': doneMarker,
    '--pid-file': pidFile,
  };
  return Object.entries(named).flatMap(([flag, file]) => (file === null ? [] : [{ flag, file }]));
}

/** What forbids to write there anything at all, were it the record of a refusal; or null. */
export function placeMistake(files: WrapperRequest['files']): string | null {
  for (const { flag, file } of placesOf(files)) {
    const kind = kindOf(file);
    if (kind !== null)
      return `${flag} ${file} ${kind}; name a file (to throw it away, let it be written and delete it)`;
  }
  return null;
}

/** A symlink is what it points to: whoever names one that leads to a device means the device. */
function kindOf(file: string): string | null {
  const found = lookAt(file);
  if (found?.isFIFO()) return 'is a FIFO';
  if (found?.isSocket()) return 'is a socket';
  if (found?.isCharacterDevice() || found?.isBlockDevice()) return 'is a device';
  // /dev/stdout may lead to a regular file, and is still no name that may be replaced.
  return SYSTEM_FOLDER.test(realFolder(path.dirname(path.resolve(file)))) ? 'lies in a folder of the system' : null;
}

const SYSTEM_FOLDER = /^\/(?:dev(?:\/fd)?|(?:proc|sys)(?:\/.*)?)$/;

/** What is there, behind symlinks. */
export function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A loop of symlinks, or a folder that may not be entered: the writing of it is tried elsewhere.
    return undefined;
  }
}

/** The folder without symlinks, however much of it is there yet. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realFolder(above), path.basename(folder));
  }
}
