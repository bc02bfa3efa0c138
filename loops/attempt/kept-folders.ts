// Records the folders of a call's result before its CLI starts, and restores them before anything is written there.

import path from 'node:path';
import { type KeptFolder, keepFolders, mendFolders, realFolder, strangeStep } from '../../state/disk/real-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { taskFolders } from '../../state/task-folder.ts';
import { outputPathsOf, placing } from './output-paths.ts';
import type { WrapperRequest } from './request.ts';

/** Replaces the call's paths by paths without links, so that a link that is changed later is not followed. */
export function withRealPlaces(request: WrapperRequest): WrapperRequest {
  const { out, err, result, sessionIdOut, doneMarker, pidFile } = request.files;
  const placeOf = placing();
  const real = (file: string | null) => (file === null ? null : placeOf(file));
  const files = {
    ...request.files,
    out: placeOf(out),
    err: placeOf(err),
    result: real(result),
    sessionIdOut: real(sessionIdOut),
    doneMarker: real(doneMarker),
    pidFile: real(pidFile),
  };
  return { ...request, files };
}

/** Called after the folders are made, and before any process of the CLI runs. */
export function keepPlaces({ files, charge }: WrapperRequest, attemptFolder: string): KeptFolder[] {
  const places = outputPathsOf(files).map(({ file }) => path.dirname(file));
  const ofTask = charge === null ? [] : taskFolders(charge.task);
  return keepFolders([...ofTask, ...places, realFolder(attemptFolder)]);
}

/** Called after the call's processes are gone. The later write reports a folder that cannot be restored. @returns warnings. */
export function putFoldersRight(folders: readonly KeptFolder[], clock: () => Date): string[] {
  try {
    return mendFolders(folders, clock);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}

/** Returns why nothing may be written; null if all are folders. */
export function folderMistake(folders: readonly KeptFolder[]): string | null {
  const step = strangeStep(folders);
  return step === null ? null : `${step} is no folder any more, and cannot be set aside`;
}
