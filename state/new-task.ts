// Writes the folder of a new task to fill in, and reads the repository that it is for; does not change existing files.

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { INPUT_TEMPLATES, manifestText, type NewManifest } from '../policies/manifest/new-task-files.ts';
import { describeRepository, type Repository } from '../policies/manifest/repository.ts';
import { makeFolders, namesIfAny } from './disk/folder.ts';
import { readIfFit } from './disk/regular-file.ts';
import { isSystemError } from './system-error.ts';
import { projectRoot, type TaskFolder } from './task-folder.ts';

type Written = { how: 'done'; files: string[] } | { how: 'invalid'; message: string };

type NewContent = Omit<NewManifest, 'taskId' | 'schema'>;

/** The manifest that would be written; invalid if the task exists already. */
export function newTaskText(
  task: TaskFolder,
  content: NewContent,
  schema: string,
): { how: 'done'; text: string } | { how: 'invalid'; message: string } {
  if (task.manifest !== null) return isThere(task.manifest);
  const text = manifestText({ ...content, taskId: task.id, schema: schemaAsSeenFrom(task.root, schema) });
  return { how: 'done', text };
}

/** @returns the files that were written, the manifest first. */
export function writeNewTask(task: TaskFolder, content: NewContent, schema: string): Written {
  const made = newTaskText(task, content, schema);
  if (made.how === 'invalid') return made;
  const manifest = path.join(task.root, 'manifest.yaml');
  try {
    makeFolders(path.join(task.inputs, 'attachments'));
    const inputs = Object.entries(INPUT_TEMPLATES)
      .map(([name, text]) => ({ file: path.join(task.inputs, name), text }))
      .filter(({ file }) => !existsSync(file));
    const files = [{ file: manifest, text: made.text }, ...inputs];
    // `wx`: if two begin one task at once, the second gets an error.
    for (const { file, text } of files) writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return { how: 'done', files: files.map(({ file }) => file) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code, message } = error;
    if (code === 'EEXIST' && error.path === manifest) return isThere(manifest);
    return invalid(`${task.root} cannot be written (${message}); make it writable, or name another folder`);
  }
}

/** Relative within one project, so that it can be moved with the project; otherwise absolute. */
function schemaAsSeenFrom(folder: string, schema: string): string {
  const inProject = schema.startsWith(`${projectRoot(folder)}${path.sep}`);
  return inProject ? path.relative(folder, schema) : schema;
}

const invalid = (message: string) => ({ how: 'invalid', message }) as const;

const isThere = (manifest: string) =>
  invalid(`${manifest} is there already; edit it, or name another task. Nothing was written`);

/** The limit for a file that describes how a project is built. */
const MAX_BYTES = 1024 ** 2;

export function readRepository(root: string): Repository {
  const names = new Set(namesIfAny(root));
  return describeRepository({
    has: (name) => names.has(name),
    text: (name) => (names.has(name) ? (readIfFit(path.join(root, name), MAX_BYTES) ?? '') : ''),
  });
}
