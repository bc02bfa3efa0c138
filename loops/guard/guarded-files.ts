// Lists the guarded files of a stage: files of the project, templates in use, the task's own files, and answers of ended calls.

import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../state/disk/real-folder.ts';
import { isSetAside, TEMPORARY } from '../../state/disk/replace-file.ts';
import { PROJECT_FILES } from '../../state/project/project.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { forbidsOf } from '../task/compose.ts';
import { readTemplate } from '../task/read-template.ts';
import type { OpenTask } from '../task/task.ts';
import { readWithin, spelledIn } from '../tree/read-within-folder.ts';
import { lookAt } from './file-look.ts';

/** Returns absolute paths without duplicates. */
export async function guardedFiles(open: OpenTask): Promise<string[]> {
  const project = PROJECT_FILES.map((name) => path.join(open.root, name));
  return [...new Set([...project, ...(await templatesOf(open)), ...ownFiles(open.task), ...earlierAnswers(open)])];
}

/** The task's own guarded files that exist now. */
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

/**
 * Returns the files of the project that go into its prompts, found as in composing: each file's name, and its real name if links
 * within the project lead elsewhere. Some may not exist. An untrusted workspace has none, so no path from a stranger is read.
 */
async function templatesOf({ root, cwd, task, project, manifest, plans }: OpenTask): Promise<string[]> {
  if (plans.every(({ role }) => role.trust !== 'trusted')) return [];
  const forbids = await forbidsOf(manifest.security.forbidden_paths, [root, cwd]);
  const files = new Set<string>();
  const counted = (file: string) => {
    const named = path.join(root, spelledIn(root, file));
    for (const each of [named, realWithin(root, named)]) if (each !== null) files.add(each);
  };
  if (project.rules !== null && readWithin({ folder: root, root, forbids }, project.rules).how !== 'refused')
    counted(project.rules);
  const place = { stage: '', task: task.root, root, forbids, counted };
  for (const { template } of Object.values(project.roles))
    if (template !== undefined) readTemplate(place, { template: { from: 'project', file: template } }, VARIABLES);
  return [...files];
}

/** The same names as in composing, so that no valid variable counts as a mistake. Their values do not matter here. */
const VARIABLES = { goal: '', task_id: '', role: '', stage: '' };

function realWithin(root: string, file: string): string | null {
  try {
    const [home, real] = [realpathSync.native(root), realpathSync.native(file)];
    return isWithin(home, real) ? path.join(root, path.relative(home, real)) : null;
  } catch {
    return null;
  }
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
  // A guardian that was killed leaves a temporary file of its own.
  const written = TEMPORARY.exec(name)?.groups?.name ?? name;
  return folder === state && /^(?:journal\.jsonl|(?:stats|last_failure)\.json)(?:\.\d+)?$/.test(written);
}

/** Lists every file and link below a folder, except those that `apart` excludes. An absent folder has none. */
export function filesBelow(folder: string, apart: (file: string) => boolean): string[] {
  if (lookAt(folder)?.kind !== 'folder') return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (apart(file)) return [];
    return entry.isDirectory() ? filesBelow(file, apart) : [file];
  });
}
