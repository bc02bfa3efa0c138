// Explains that a task is missing: archived, or misspelled.

import path from 'node:path';
import { nearest } from '../policies/text/nearest.ts';
import { namesIfAny } from './disk/folder.ts';

/** A message that there is none, and what may have been meant. @param root The place where it would be. */
export function missingTask(root: string): string {
  const id = path.basename(root);
  const tasks = path.dirname(root);
  const archived = archivedAs(id, archiveBeside(tasks));
  if (archived !== null)
    return `there is no task at ${root}: it was archived to ${archived}; \`tollgate archive --restore ${id}\` puts it back`;
  const near = nearest(
    id,
    namesIfAny(tasks).filter((name) => name !== id),
  );
  const meant = near === null ? 'tollgate status lists those that exist' : `did you mean ${near}?`;
  return `there is no task at ${root} (${meant})`;
}

/** The folder for archived tasks beside a folder `task`. */
export const archiveBeside = (tasks: string): string => path.join(path.dirname(tasks), 'archive');

/** The folder of the task that was archived last under this id; null if there is none. */
export function archivedAs(id: string, archive: string): string | null {
  const names = namesIfAny(archive).filter((name) => name.startsWith(`${id}-`) && STAMP.test(name.slice(id.length)));
  const last = names.sort().at(-1);
  return last === undefined ? null : path.join(archive, last);
}

/** The time, and a suffix that distinguishes two within one second. */
const STAMP = /^-\d{8}-\d{6}(?:-[0-9a-f]{8})?$/;
