// Decides where a task call's result goes if another process settles it: an agent may have changed the paths in the draft.

import path from 'node:path';
import { realOr } from '../../state/disk/real-folder.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { outputsOf, projectRoot, type TaskFolder } from '../../state/task-folder.ts';
import { outputPathsOf } from './output-paths.ts';
import type { WrapperRequest } from './request.ts';

type Files = WrapperRequest['files'];

interface ResultPaths {
  files: Files;
  /** What the caller should know; null if everything is where it was requested. */
  note: string | null;
}

/**
 * A stage's call has its paths from its name alone. A call outside a run, with --task, keeps the requested paths below the
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
