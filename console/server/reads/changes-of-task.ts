// Computes what a task has changed in its tree since it began, as a unified diff.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { redactorOf } from '../../../loops/redactor.ts';
import { forbidsOf, stateOf } from '../../../loops/task/compose.ts';
import { readTask, treeOf } from '../../../loops/task/task.ts';
import { readChanges, startOf } from '../../../loops/tree/read-changes.ts';
import type { DiffShown } from '../../contract/task.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { headOfText } from './redacted.ts';
import { foundTask } from './task.ts';

const MAX_CHARS = 2 * 1024 * 1024;

export async function diffShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const { cwd, environment } = project;
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return refused(409, read.message);
  const tree = treeOf(read);
  const nothing = (why: string) => answerWith<DiffShown>({ text: '', notes: [why] });
  if (!existsSync(path.join(tree, '.git')))
    return nothing('The tree is in no repository of git, which alone tells what changed.');
  if (startOf(task.state) === null)
    return nothing(
      'The tree as it was before this task is not stored. A stage with `diff: {since: start}` stores it, and so does a supervision.',
    );
  const forbids = await forbidsOf(read.manifest.security.forbidden_paths, [read.root, tree]);
  const rules = { cwd: tree, root: read.root, state: stateOf(task), forbids, environment };
  const changes = await readChanges({ ...rules, task: task.state }, { since: 'start' });
  if (changes.how === 'invalid') return refused(409, changes.message);
  const { text, forbidden } = changes.changes;
  const redactor = redactorOf(environment, read.manifest.security.redaction_patterns);
  const notes = [
    ...changes.warnings,
    ...(forbidden > 0 ? [`${forbidden} forbidden paths are omitted.`] : []),
    ...(text.length > MAX_CHARS ? [`${text.length - MAX_CHARS} characters more are omitted.`] : []),
  ];
  return answerWith<DiffShown>({ text: headOfText(text, MAX_CHARS, redactor), notes });
}
