// Protects the places of a call's result from its agent, which may change links, folders, and the paths in the draft.

import path from 'node:path';
import {
  type KeptFolder,
  keepFolders,
  mendFolders,
  realFolder,
  realOr,
  strangeStep,
} from '../../state/disk/real-folder.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf, projectRoot, type TaskFolder, taskFolders } from '../../state/task-folder.ts';
import { outputPathsOf, realPlace } from './output-paths.ts';
import type { WrapperRequest } from './request.ts';

/** Replaces the call's paths by paths without links, so that a link that is changed later is not followed. */
export function withRealPlaces(request: WrapperRequest): WrapperRequest {
  const { out, err, result, sessionIdOut, doneMarker, pidFile } = request.files;
  const real = (file: string | null) => (file === null ? null : realPlace(file));
  const files = {
    ...request.files,
    out: realPlace(out),
    err: realPlace(err),
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
  return step === null ? null : `${step} is not a folder any more, and cannot be set aside`;
}

type Files = WrapperRequest['files'];

interface ResultPaths {
  files: Files;
  /** What the caller should know; null if everything is where it was requested. */
  note: string | null;
}

/**
 * Decides where a task call's result goes if another process settles it. A stage's call has its paths from its name alone. A call outside a run, with --task, keeps the requested paths below the
 * project. If one is elsewhere, the result goes to the task's outputs.
 */
export function resultPaths({ reserved }: Call, requested: Files, task: TaskFolder): ResultPaths {
  const { call_id, run_id, stage, tool } = reserved;
  const { out, err } = outputsOf(task, { name: stage, tool });
  const attempt = path.join(task.attempts, call_id);
  const none = { sessionIdOut: null, doneMarker: null, pidFile: null };
  const ours: Files = {
    prompt: path.join(attempt, 'prompt'),
    out,
    err,
    result: path.join(attempt, 'record.json'),
    ...none,
  };
  if (run_id !== null) return { files: ours, note: null };
  const root = realOr(projectRoot(task.root));
  const astray = outputPathsOf(requested).find(
    ({ file }) => !realOr(path.dirname(file)).startsWith(`${root}${path.sep}`) && realOr(path.dirname(file)) !== root,
  );
  if (astray === undefined) return { files: { ...requested, prompt: ours.prompt }, note: null };
  const note = `its ${astray.flag} is outside of the project, which only its own wrapper may write; the result is in ${out}`;
  return { files: ours, note };
}
