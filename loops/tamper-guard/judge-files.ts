// Which files a stage is judged by: the project's, the templates in use, the task's own, and the answers of calls that are over.

import path from 'node:path';
import { PROJECT_FILES } from '../../state/project/project.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { forbidsOf } from '../prompt/compose.ts';
import { templateFiles } from '../prompt/template-files.ts';
import type { OpenTask } from '../task/task.ts';
import { filesBelow } from './kept-files.ts';

/** Absolute; each once. */
export async function judgeFiles(open: OpenTask): Promise<string[]> {
  const project = PROJECT_FILES.map((name) => path.join(open.root, name));
  return [...new Set([...project, ...(await templatesOf(open)), ...ownFiles(open.task), ...earlierAnswers(open)])];
}

/** The task's, as they are now. */
export const ownFiles = (task: OpenTask['task']): string[] =>
  filesBelow(task.root, (file) => isWrittenInCalls(task, file));

/** Folders that a link must not come to stand for. */
export const ownFolders = ({ root, inputs, outputs, state, done, attempts }: OpenTask['task']): string[] => [
  root,
  inputs,
  outputs,
  state,
  done,
  attempts,
];

/** What is used of the project's: in an untrusted workspace nothing is, and so nothing that a stranger names is looked at. */
async function templatesOf({ root, cwd, task, project, manifest, plans }: OpenTask): Promise<string[]> {
  const trust = plans.some(({ role }) => role.trust === 'trusted') ? 'trusted' : 'untrusted';
  const forbids = await forbidsOf(manifest.security.forbidden_paths, [root, cwd]);
  return templateFiles({ root, task: task.root, project, trust, forbids });
}

/** Of calls that are over: what limits count, and what later stages are told. */
function earlierAnswers({ task, journal }: OpenTask): string[] {
  const { calls, done } = journal.read().ledger;
  const over = [...calls.values()].filter(({ verdict }) => verdict !== null);
  const answers = [...done.values()].flatMap(({ stage, call_id }) => {
    const tool = calls.get(call_id ?? '')?.reserved.tool;
    return tool === undefined ? [] : [outputsOf(task, { name: stage, tool }).out];
  });
  return [...over.map(({ reserved }) => path.join(task.attempts, reserved.call_id, 'record.json')), ...answers];
}

/** What editors put beside a file that a person looks at. */
export const isLitter = (name: string): boolean => /^\..*\.sw[a-z]$|~$|^\.#|^4913$/.test(name);

/** Answers, the private folders of calls, copies of the tree (which are looked at before they are used), what guardians write, and what was set aside. */
function isWrittenInCalls({ outputs, attempts, state }: OpenTask['task'], file: string): boolean {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  if (file === outputs || file === attempts || isLitter(name) || SET_ASIDE.test(name)) return true;
  if (folder === path.join(state, 'baseline') && name.endsWith('.copies')) return true;
  return folder === state && /^(?:journal\.jsonl|(?:stats|last_failure)\.json)(?:\.\d+)?$/.test(name);
}

const SET_ASIDE = /\.unreadable-[\dTZ-]+$/;
