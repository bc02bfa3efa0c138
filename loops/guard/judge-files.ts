// Lists the judge files of a stage: files of the project, templates in use, the task's own files, and answers of ended calls.

import path from 'node:path';
import { isSetAside } from '../../state/disk/replace-file.ts';
import { PROJECT_FILES } from '../../state/project/project.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { forbidsOf } from '../task/compose.ts';
import type { OpenTask } from '../task/task.ts';
import { templateFiles } from '../task/template-files.ts';
import { filesBelow } from './kept-files.ts';

/** Returns absolute paths without duplicates. */
export async function judgeFiles(open: OpenTask): Promise<string[]> {
  const project = PROJECT_FILES.map((name) => path.join(open.root, name));
  return [...new Set([...project, ...(await templatesOf(open)), ...ownFiles(open.task), ...earlierAnswers(open)])];
}

/** The task's own judge files that exist now. */
export const ownFiles = (task: OpenTask['task']): string[] =>
  filesBelow(task.root, (file) => isWrittenInCalls(task, file));

/** Folders that must not be replaced by a link. */
export const ownFolders = ({ root, inputs, outputs, state, done, attempts }: OpenTask['task']): string[] => [
  root,
  inputs,
  outputs,
  state,
  done,
  attempts,
];

/** Returns the templates of the project that are in use. An untrusted workspace has none, so no path from a stranger is read. */
async function templatesOf({ root, cwd, task, project, manifest, plans }: OpenTask): Promise<string[]> {
  const trust = plans.some(({ role }) => role.trust === 'trusted') ? 'trusted' : 'untrusted';
  const forbids = await forbidsOf(manifest.security.forbidden_paths, [root, cwd]);
  return templateFiles({ root, task: task.root, project, trust, forbids });
}

/** The files of ended calls: the records that limits count, and the answers that later stages receive. */
function earlierAnswers({ task, journal }: OpenTask): string[] {
  const { calls, done } = journal.read().ledger;
  const over = [...calls.values()].filter(({ verdict }) => verdict !== null);
  const answers = [...done.values()].flatMap(({ stage, call_id }) => {
    const tool = calls.get(call_id ?? '')?.reserved.tool;
    return tool === undefined ? [] : [outputsOf(task, { name: stage, tool }).out];
  });
  return [...over.map(({ reserved }) => path.join(task.attempts, reserved.call_id, 'record.json')), ...answers];
}

/** Recognises the temporary files that editors write beside a file that the user opens. */
export const isLitter = (name: string): boolean => /^\..*\.sw[a-z]$|~$|^\.#|^4913$/.test(name);

/**
 * These may change during a call: answers, private folders of calls, files of guardians, and files that were set aside. Copies of
 * the tree may change too; they are checked before they are used.
 */
function isWrittenInCalls({ outputs, attempts, state }: OpenTask['task'], file: string): boolean {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  if (file === outputs || file === attempts || isLitter(name) || isSetAside(name)) return true;
  if (folder === path.join(state, 'baseline') && name.endsWith('.copies')) return true;
  return folder === state && /^(?:journal\.jsonl|(?:stats|last_failure)\.json)(?:\.\d+)?$/.test(name);
}
