// Lists the files of a task's folder that travel: its inputs to a worker, and what a run has recorded, both ways.

import path from 'node:path';
import { SUBMITTED } from '../../loops/task/claim.ts';
import { entriesIfAny } from '../../state/disk/folder.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import { isSetAside, TEMPORARY } from '../../state/disk/replace-file.ts';

/** The changes of the tree, as a fetch writes them. With the records of finished stages they travel to the next worker. */
export const PATCH_FILE = 'outputs/_fleet.patch';

/** Otherwise it says why the changes are not here. */
export const isPatch = (text: string): boolean => /^diff --git /m.test(text);

/** Copies of trees, which only the machine of a run needs, the submitter's mark, and what is made of the result. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(['state/trees', `state/${SUBMITTED}`, PATCH_FILE]);
/** Beside each, `.before` and `.after` list the tree of an unfinished stage; they travel, so that it can continue elsewhere. */
const COPIES = /^state\/baseline\/.*\.copies$/;
/** The private files of each call; a run on another machine continues without them. */
const ATTEMPTS = 'state/attempts';

/** @returns names relative to the task's folder; a link is only listed among the inputs, whose reader checks where it leads. */
export const inputFiles = (root: string): string[] => below(root, 'inputs', new Set(['inputs/prompt']), 'listed');

/** What a run needs to continue on another machine; nothing if there was no run. */
export const recordFiles = (root: string): string[] =>
  isRegular(path.join(root, 'state/journal.jsonl')) ? recorded(root, new Set([...OF_THE_MACHINE, ATTEMPTS])) : [];

/** All that a run has recorded. */
export const resultFiles = (root: string): string[] => recorded(root, OF_THE_MACHINE);

const recorded = (root: string, except: ReadonlySet<string>): string[] =>
  ['inputs/prompt', 'outputs', 'done', 'state'].flatMap((folder) => below(root, folder, except, 'omitted'));

function below(root: string, folder: string, except: ReadonlySet<string>, links: 'listed' | 'omitted'): string[] {
  return entriesIfAny(path.join(root, folder)).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (except.has(name) || COPIES.test(name) || isSetAside(entry.name) || TEMPORARY.test(entry.name)) return [];
    if (entry.isDirectory()) return below(root, name, except, links);
    return entry.isFile() || (links === 'listed' && entry.isSymbolicLink()) ? [name] : [];
  });
}
