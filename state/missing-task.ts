// A task that is not there: archived, or written in another way.

import path from 'node:path';
import { nearest } from '../policies/text/nearest.ts';
import { namesIfAny } from './disk/folder.ts';

/** That there is none, and what may have been meant. @param root where it would lie. */
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

/** Where the tasks of a folder `task` are put away. */
export const archiveBeside = (tasks: string): string => path.join(path.dirname(tasks), 'archive');

/** The folder of the task that was archived last under this id; null where there is none. */
export function archivedAs(id: string, archive: string): string | null {
  const names = namesIfAny(archive).filter((name) => name.startsWith(`${id}-`) && STAMP.test(name.slice(id.length)));
  const last = names.sort().at(-1);
  return last === undefined ? null : path.join(archive, last);
}

/** The time, and what sets two of one second apart. */
const STAMP = /^-\d{8}-\d{6}(?:-[0-9a-f]{8})?$/;
