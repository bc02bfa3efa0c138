// Keeps the tree before and after a stage as git objects in the task's state, and reads the diff of the two.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeJson } from '../../state/atomic-file.ts';
import { isOwnFolder } from '../../state/disk/folder.ts';
import { kindOf, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { IS_ID, PATCH } from './read-changes.ts';
import { complaintOf } from './run-git.ts';
import { type Apart, type Invalid, invalid, leftOutBy, type TreeRules, takeIn, withApart } from './separate-index.ts';

/** A stage whose trees are kept; each tree is the id of a tree of git. */
export interface StageTrees {
  /** The commit at the start of the stage; null in a repository without one. */
  head: string | null;
  before: string;
  /** null until the gate has looked at the tree, and if the tree could not be stored then. */
  after: string | null;
  /** Why the tree after the stage could not be stored. */
  why: string | null;
  /** Files that were too large to be kept, or that could not be read. They are in no diff. */
  unread: string[];
}

export interface KeepRules extends TreeRules {
  environment: NodeJS.ProcessEnv;
  halt?: AbortSignal;
}

/** Copies of untracked files are kept, so a tree with a huge one is not copied with each stage. */
const MOST = { file: 4 * 1024 * 1024, all: 64 * 1024 * 1024 };

/** An agent can write below the folder of the earlier objects, so the later ones get a new folder. */
const objectsIn = (folder: string, side: 'before' | 'after') => path.join(folder, side);
const fileIn = (folder: string) => path.join(folder, 'trees.json');

/** The folders in which git finds the objects of both trees. */
export const objectFolders = (folder: string): string[] => [objectsIn(folder, 'before'), objectsIn(folder, 'after')];

/** The folder of a stage's trees, in the task's own state. */
export const treesOf = (state: string, stage: string): string => path.join(state, 'trees', stage);

/** The tree before the stage could not be stored, for instance because it is too large. */
interface NotKept {
  why: string;
}

type Stored = Partial<Record<keyof StageTrees, unknown>>;

/** @returns null if none are kept, or if the file is not ours. */
export function readTrees(folder: string): StageTrees | null {
  const { head, before, after, unread, why } = readJsonIfFit<Stored>(fileIn(folder)) ?? {};
  const isId = (value: unknown): value is string => typeof value === 'string' && IS_ID.test(value);
  const isIdOrNull = (value: unknown): value is string | null => value === null || isId(value);
  if (!isId(before) || !isIdOrNull(after) || !isIdOrNull(head) || !Array.isArray(unread)) return null;
  return {
    ...{ head, before, after, why: typeof why === 'string' ? why : null },
    unread: unread.filter((name) => typeof name === 'string'),
  };
}

/** Why no tree of a stage is kept; null if the reason is not known. */
export function whyNotKept(folder: string): string | null {
  const why = readJsonIfFit<Stored>(fileIn(folder))?.why;
  return typeof why === 'string' ? why : null;
}

/** Forgets the trees of an earlier run of the stage. If the tree cannot be kept, no diff can be shown, and the stage runs as before. */
export async function keepBefore(folder: string, head: string | null, rules: KeepRules): Promise<void> {
  await orNothing(async () => {
    if (!isOurs(path.dirname(folder))) return;
    rmSync(folder, { recursive: true, force: true });
    const found = await keepTree(objectsIn(folder, 'before'), [], rules);
    if ('how' in found) return save(folder, { why: found.message });
    await save(folder, {
      head: head !== null && IS_ID.test(head) ? head : null,
      before: found.tree,
      after: null,
      why: null,
      unread: found.unread,
    });
  });
}

/** @param changed whether the gate found a change: without one, the tree is as before. */
export async function keepAfter(folder: string, changed: boolean, rules: KeepRules): Promise<void> {
  const trees = readTrees(folder);
  if (trees === null || !isOurs(path.dirname(folder)) || !isOurs(folder)) return;
  const after = objectsIn(folder, 'after');
  await orNothing(async () => {
    rmSync(after, { recursive: true, force: true });
    const found = changed
      ? await keepTree(after, [objectsIn(folder, 'before')], rules)
      : { tree: trees.before, unread: [] };
    if ('how' in found) return save(folder, { ...trees, after: null, why: found.message });
    const unread = [...new Set([...trees.unread, ...found.unread])];
    await save(folder, { ...trees, after: found.tree, why: null, unread });
  });
}

/** An attempt is made again on what the earlier ones changed. */
export async function reopenTrees(folder: string): Promise<void> {
  const trees = readTrees(folder);
  if (trees !== null && isOurs(path.dirname(folder)) && isOurs(folder))
    await orNothing(() => save(folder, { ...trees, after: null, why: null }));
}

const save = (folder: string, trees: StageTrees | NotKept) => writeJson(fileIn(folder), trees, 'renamed');

async function orNothing(keep: () => Promise<void>): Promise<void> {
  try {
    await keep();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** A link would lead our files elsewhere. */
const isOurs = (folder: string): boolean => kindOf(folder) === null || isOwnFolder(folder);

const keepTree = (objects: string, others: readonly string[], rules: KeepRules) =>
  withApart({ ...rules, objects, others }, (apart) => treeNow(apart, rules));

export async function treeNow(apart: Apart, rules: KeepRules): Promise<{ tree: string; unread: string[] } | Invalid> {
  const taken = await takeIn(apart, { ...rules, most: MOST });
  if (taken.how === 'invalid') return taken;
  const written = await apart.git(['write-tree', '--missing-ok']);
  if (written.code !== 0) return invalid(`the tree could not be read: ${complaintOf(written)}`);
  return { tree: written.stdout.trim(), unread: taken.unread };
}

interface TreesDiff {
  how: 'read';
  text: string;
  /** How many files changed in all, if the text is cut; otherwise null. */
  cutOf: number | null;
}

/** Above this, git would get too many arguments. */
const MOST_OMITTED = 500;

/**
 * @param side `stage`: what changed since before the stage, until its end or until now; `earlier`: what had changed before it since
 * the last commit.
 * @param mostChars of the text
 */
export async function diffOfTrees(
  folder: string,
  { head, before, after, unread }: StageTrees,
  { side, mostChars, ...rules }: KeepRules & { side: 'stage' | 'earlier'; mostChars: number },
): Promise<TreesDiff | Invalid> {
  return withApart({ ...rules, others: objectFolders(folder) }, async (apart): Promise<TreesDiff | Invalid> => {
    const { git } = apart;
    const until = side === 'earlier' ? before : (after ?? (await treeNow(apart, rules)));
    if (typeof until !== 'string' && 'how' in until) return until;
    const to = typeof until === 'string' ? until : until.tree;
    const from = side === 'stage' ? before : (head ?? (await git(['mktree'], { input: '' })).stdout.trim());
    const gone = (complaint: string) =>
      invalid(`the stored objects of this stage cannot be read any more (${complaint})`);
    const listed = await git([
      'diff-tree',
      '-r',
      '-z',
      '--name-only',
      '--no-renames',
      '--relative',
      from,
      to,
      '--',
      '.',
    ]);
    if (listed.code !== 0) return gone(complaintOf(listed));
    const skipped = new Set([...unread, ...(typeof until === 'string' ? [] : until.unread)]);
    const leftOut = leftOutBy(rules);
    const names = listed.stdout.split('\0').slice(0, -1);
    const omitted = names.filter((name) => skipped.has(name) || leftOut(name) !== null);
    if (omitted.length > MOST_OMITTED)
      return invalid(`${omitted.length} of the changed files must not be shown; a diff without so many cannot be made`);
    const paths = ['--', '.', ...omitted.map((name) => `:(exclude,literal)${name}`)];
    const ran = await git(['diff-tree', '-r', ...PATCH, `-U${CONTEXT}`, from, to, ...paths], { most: mostChars });
    if (ran.code !== 0) return gone(complaintOf(ran));
    const text = ran.isCut ? ran.stdout.slice(0, ran.stdout.lastIndexOf('\n') + 1) : ran.stdout;
    return { how: 'read', text, cutOf: ran.isCut ? names.length - omitted.length : null };
  });
}

/** The page folds unchanged lines, and shows them on request. */
const CONTEXT = 20;
