// Unpacks a task on a worker: its tree, the uncommitted changes that came with it, and its inputs.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allFilters, complaintOf, gitWith, switchedOff } from '../../loops/tree/run-git.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { checkTaskId } from '../../state/task-folder.ts';
import { hashOf, linkOnTheWay, nameMistake, unpackContents, writeFiles } from './bundle.ts';
import { type CheckoutPlace, checkOut } from './checkout.ts';
import { PATCH_FILE } from './files.ts';
import type { PackedTask } from './pack.ts';
import { TravelRefusal } from './refusal.ts';

export interface UnpackedTask {
  folder: string;
  manifestFile: string;
  worktree: string;
}

const MANIFESTS: ReadonlySet<string> = new Set(['manifest.yaml', 'manifest.yml', 'manifest.json']);
const APPLY_MS = 5 * 60_000;

/** Whether the tree of a task can be that of earlier ones: its folder is beside theirs. */
export const sharesTree = ({ task, folder }: PackedTask): boolean => folder === `${TASKS}/${task}`;

const TASKS = '.tmp/task';

/** Where a worker has the tree of a task. @param shared names a tree for several tasks. Throws a TravelRefusal if that cannot be. */
export function worktreeOf(
  { task, remote, commit, refs, folder, bundleHash }: Omit<PackedTask, 'bundle'>,
  workFolder: string,
  shared: string | null,
): string {
  const mistake =
    checkTaskId(task) ?? (nameMistake(folder) === null ? null : `its folder "${folder}" ${nameMistake(folder)}`);
  if (mistake !== null || path.basename(folder) !== task)
    throw new TravelRefusal(`task ${task} is refused: ${mistake ?? `its folder is "${folder}"`}`);
  const id = hashOf(Buffer.from(shared ?? JSON.stringify([remote, commit, refs, folder, bundleHash]))).slice(0, 16);
  return path.join(workFolder, 'tasks', `${shared === null ? task : 'tag'}-${id}`);
}

interface UnpackPlace extends CheckoutPlace {
  shared: string | null;
  /** Adds the records of earlier tasks to a new tree. @param tasks their folder. */
  addEarlier?(tasks: string): Promise<void>;
}

/** Throws a TravelRefusal if the task cannot be unpacked. A task that was unpacked before is kept as it is, with its journal. */
export async function unpackTask(packed: PackedTask, place: UnpackPlace): Promise<UnpackedTask> {
  const { version, task, commit, remote, refs, bundleHash, folder } = packed;
  if (version !== 1)
    throw new TravelRefusal(
      `${task} was packed by a newer tollgate (version ${String(version)} of the format); install that one here`,
    );
  const { shared } = place;
  const worktree = worktreeOf(packed, place.workFolder, shared);
  const contents = unpackContents(packed.bundle, bundleHash, `the bundle of ${task}`);
  const manifests = [...contents.task.keys()].filter((name) => MANIFESTS.has(name));
  const [manifest] = manifests;
  if (manifest === undefined || manifests.length > 1)
    throw new TravelRefusal(`the bundle of ${task} has ${manifests.length === 0 ? 'no manifest' : 'two manifests'}`);
  if (hashOf(contents.task.get(manifest)!.bytes) !== packed.manifestHash)
    throw new TravelRefusal(`the manifest of ${task} is not the one that was submitted: its hash differs`);
  const unpacked = {
    folder: path.join(worktree, folder),
    manifestFile: path.join(worktree, folder, manifest),
    worktree,
  };
  const done = shared === null ? worktree : unpacked.folder;
  if (existsSync(done)) return unpacked;
  makeFolders(path.dirname(worktree));
  // Complete or absent, also after a kill.
  const fresh = mkdtempSync(path.join(path.dirname(worktree), '.new-'));
  try {
    await checkOut({ remote, commit, refs }, fresh, place);
    const earlier = contents.task.get(PATCH_FILE);
    if (contents.patch !== null) await applyPatch(contents.patch, 'the uncommitted changes', fresh, task, place);
    if (earlier !== undefined) await applyPatch(earlier.bytes, 'what earlier stages changed', fresh, task, place);
    writeFiles(fresh, contents.tree, `the bundle of ${task}`);
    // A link on the way to the folder would lead elsewhere.
    const files = new Map([...contents.task].map(([name, file]) => [`${folder}/${name}`, file]));
    writeFiles(fresh, files, `the bundle of ${task}`);
    if (shared !== null && existsSync(worktree)) replaceTree(worktree, fresh, task);
    else {
      await place.addEarlier?.(path.join(fresh, TASKS));
      renameSync(fresh, worktree);
    }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(done)) throw error;
  }
  return unpacked;
}

/** What earlier tasks have recorded stays, and all else is that of the new task. Its folder comes last: it marks the end. */
function replaceTree(worktree: string, fresh: string, task: string): void {
  const link = linkOnTheWay(worktree, `${TASKS}/${task}`);
  if (link !== null) throw new TravelRefusal(`${link} of an earlier task of the tag is a symbolic link; remove it`);
  makeFolders(path.join(worktree, TASKS));
  const old = mkdtempSync(path.join(path.dirname(worktree), '.old-'));
  const replace = (place: string, kept: readonly string[]) => {
    const [from, to, away] = [fresh, worktree, old].map((root) => path.join(root, place)) as [string, string, string];
    mkdirSync(away, { recursive: true });
    for (const name of readdirSync(to))
      if (!kept.includes(name)) renameSync(path.join(to, name), path.join(away, name));
    for (const name of readdirSync(from))
      if (!kept.includes(name)) renameSync(path.join(from, name), path.join(to, name));
  };
  replace('.', ['.tmp']);
  replace('.tmp', ['task', 'state']);
  renameSync(path.join(fresh, TASKS, task), path.join(worktree, TASKS, task));
  for (const folder of [old, fresh]) removeQuietly(folder);
}

/** An agent may have made folders that cannot be removed. */
function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** git applies all of it or nothing, and writes only within the tree. */
async function applyPatch(
  patch: Buffer,
  what: string,
  cwd: string,
  task: string,
  { environment, halt }: CheckoutPlace,
): Promise<void> {
  const git = gitWith({ cwd, timeoutMs: APPLY_MS, environment, halt });
  const filters = await allFilters(git);
  if (filters.how === 'unknown')
    throw new TravelRefusal(`the filters of git cannot be read (${complaintOf(filters.ran)})`);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-patch-'));
  try {
    const file = path.join(folder, 'patch');
    writeFileSync(file, patch);
    const applied = await git(['apply', '--whitespace=nowarn', '-p1', file], {
      settings: switchedOff(filters.names),
    });
    if (applied.code !== 0)
      throw new TravelRefusal(
        `${what} of ${task} cannot be applied to its commit (${complaintOf(applied)}); commit and push them`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
