// Packs a task for a worker: the remote and the commit of its tree, and a bundle of the inputs that git does not have.

import { existsSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { foreseeTask } from '../../loops/run/forecast.ts';
import { readAttachments } from '../../loops/task/attachments.ts';
import { stateOf } from '../../loops/task/compose.ts';
import { treeRules } from '../../loops/task/keep-start.ts';
import { readTemplate } from '../../loops/task/read-template.ts';
import type { RunRequest } from '../../loops/task/run-context.ts';
import { type OpenTask, openTask } from '../../loops/task/task.ts';
import type { Forbids } from '../../loops/tree/forbidden.ts';
import { linkMistake } from '../../loops/tree/read-within-folder.ts';
import { rulesFor, trackedPaths } from '../../loops/tree/repository.ts';
import { complaintOf } from '../../loops/tree/run-git.ts';
import { leftOutBy, type TreeRules, takeIn, withApart } from '../../loops/tree/separate-index.ts';
import { firstNames } from '../../policies/text/display.ts';
import { isWithin, realOr } from '../../state/disk/real-folder.ts';
import { readFollowedBytes, readRegularBytes } from '../../state/disk/regular-file.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { projectFile } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import {
  type Carried,
  type Contents,
  type Freight,
  hashOf,
  inMb,
  MOST_BYTES,
  packContents,
  putShared,
} from './bundle.ts';
import { inputFiles, isPatch, PATCH_FILE, recordFiles } from './files.ts';
import type { OriginOf } from './origin.ts';
import { TravelRefusal } from './refusal.ts';

/** A task as it travels. All fields but the bytes are JSON. */
export interface PackedTask {
  version: 1;
  task: string;
  /** The last two parts of the remote: for people. */
  project: string;
  remote: string;
  commit: string;
  /** References that the manifest names, each with its commit. */
  refs: Record<string, string>;
  /** The task's folder, relative to the tree. */
  folder: string;
  manifestHash: string;
  bundleHash: string;
  bundle: Freight;
}

interface PackRequest extends RunRequest {
  /** Whether uncommitted changes travel; otherwise they are a mistake. */
  changes: 'patch' | 'refused';
  /** A folder that all machines have; null if the database gets the bundle. */
  shared: string | null;
  originOf: OriginOf;
}

const MOST_NAMED = 3;
const MOST_PATCH_BYTES = 256 * 1024 * 1024;
/** Of changed files: nothing above these is even hashed. */
const MOST_CHANGED = { file: 64 * 1024 * 1024, all: 192 * 1024 * 1024 };
const MOST_INPUT_BYTES = 128 * 1024 * 1024;

interface Packing {
  packed: PackedTask;
  /** The length of the task's journal before it was packed. */
  journalBytes: number;
  warnings: string[];
}

/** Throws a TravelRefusal if the task cannot travel. Nothing is written but the shared file. */
export async function packTask(request: PackRequest): Promise<Packing> {
  const { context, options, word, shared } = request;
  // Each mistake of the manifest is found here, as a run would find it: no worker must begin with it. The fleet may have had it before.
  const foreseen = await foreseeTask({ ...request, options: { ...options, whenTaken: 'force' } });
  if (foreseen.how !== 'done') throw new TravelRefusal(foreseen.message);
  const opened = await openTask({ ...context, ...options, word }, 'look');
  if (opened.how === 'invalid') throw new TravelRefusal(opened.message);
  const { open } = opened;
  const { task, root } = open;
  const { offset: journalBytes } = open.journal.read();
  await refuseUnportable(open);
  const bases = open.plans.flatMap(({ stage: { diff } }) =>
    typeof diff === 'object' && diff.base !== undefined ? [diff.base] : [],
  );
  const origin = await request.originOf(root, bases);
  const warnings: string[] = [];
  const rules = await treeRules(open, context, root);
  const patch = await changesSince(origin.commit, { ...rules, mayTravel: request.changes === 'patch', warnings });
  const inputs = await inputsOf(open, rules.forbids, warnings);
  const contents: Contents = { task: inputs.task, tree: inputs.tree, patch };
  const earlier = await earlierChanges(open, { ...rules, commit: origin.commit, sent: patch });
  if (earlier !== null) contents.task.set(PATCH_FILE, { bytes: earlier, isExecutable: false });
  for (const [name, { bytes }] of [...inputs.task, ...inputs.tree]) {
    const text = bytes.toString('latin1');
    if (name.startsWith('inputs/') && open.hide(text) !== text)
      warnings.push(`${name} seems to contain a secret, and travels as it is`);
  }
  const bytes = packContents(contents, shared);
  if (shared === null && bytes.length > MOST_BYTES) throw new TravelRefusal(tooLarge(bytes.length, contents));
  const packed: PackedTask = {
    version: 1,
    task: task.id,
    project: origin.remote
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .filter(Boolean)
      .slice(-2)
      .join('/'),
    ...origin,
    folder: isWithin(root, task.root) && task.root !== root ? path.relative(root, task.root) : `.tmp/task/${task.id}`,
    manifestHash: hashOf(readFollowedBytes(task.manifest!)),
    bundleHash: hashOf(bytes),
    bundle: shared === null ? bytes : { shared: putShared(shared, bytes) },
  };
  return { packed, journalBytes, warnings };
}

/** What would be different on another machine, or is at work here. */
async function refuseUnportable({ task, manifest, root, project, journal, placeOf }: OpenTask): Promise<void> {
  const outside = (what: string) =>
    new TravelRefusal(
      `${task.manifest}: ${what} is outside of the project (${root}), and only what is within travels to a worker`,
    );
  const { session_id } = manifest.meta;
  if (session_id !== undefined)
    throw new TravelRefusal(
      `${placeOf(null, 'meta').at}: meta.session_id names a conversation of this machine, which no worker has; use meta.feature`,
    );
  if (!isWithin(root, path.resolve(root, manifest.cwd ?? '.'))) throw outside(`cwd: "${manifest.cwd}"`);
  for (const [name, { binary, prefix }] of Object.entries(project.tools))
    for (const program of [binary, prefix?.[0] ?? ''])
      if (isFromRoot(program, root)) throw outside(`tools.${name} (${program})`);
  const { ledger } = journal.read();
  const self = await identify(process.pid);
  if (ledger.run !== null && (await isAlive(ledger.run.owner, self!)) !== 'dead')
    throw new TravelRefusal(`${task.id} is running on this machine; wait for it, or stop it`);
  const [open] = openCalls(ledger);
  if (open !== undefined)
    throw new TravelRefusal(
      `${task.id} has a call of this machine without a verdict; tollgate run ${task.id} --recheck settles it`,
    );
}

/** A program beside the project, named by a relative path. One that is installed elsewhere is the machine's own, like those on the PATH. */
const isFromRoot = (program: string, root: string): boolean =>
  program.startsWith(`${path.dirname(root)}/`) && !isWithin(root, program);

/** @returns the uncommitted changes as a patch; null if there are none. */
async function changesSince(
  commit: string,
  {
    mayTravel,
    warnings,
    ...rules
  }: TreeRules & { environment: NodeJS.ProcessEnv; halt: AbortSignal; mayTravel: boolean; warnings: string[] },
): Promise<Buffer | null> {
  const { patch, names, omitted, unread } = await diffSince(commit, rules);
  if (unread.length > 0)
    throw new TravelRefusal(
      `${firstNames(unread, MOST_NAMED)} cannot be read or has more than ${inMb(MOST_CHANGED.file)}, so the changes of ${rules.cwd} cannot travel`,
    );
  for (const name of omitted) warnings.push(`${name} is forbidden or may hold a secret, and does not travel`);
  if (names.length === 0) return null;
  if (!mayTravel)
    throw new TravelRefusal(
      `${rules.cwd} has uncommitted changes (${firstNames(names, MOST_NAMED)}); commit and push them, or use --patch to send them`,
    );
  return patch;
}

/** @returns what the stages of earlier results have changed; null if there is nothing, or if the tree that travels has it. */
async function earlierChanges(
  { task, manifest }: OpenTask,
  {
    commit,
    sent,
    ...rules
  }: TreeRules & { environment: NodeJS.ProcessEnv; halt: AbortSignal; commit: string; sent: Buffer | null },
): Promise<Buffer | null> {
  const file = path.join(task.root, PATCH_FILE);
  if (recordFiles(task.root).length === 0 || !existsSync(file)) return null;
  const bytes = readRegularBytes(file, MOST_PATCH_BYTES);
  if (!isPatch(bytes.toString('latin1')))
    throw new TravelRefusal(
      `what stages of ${task.id} changed did not come back from the worker (${file} says where it is); bring it here, commit and push, and remove that file`,
    );
  const found = await withApart(rules, async ({ git }): Promise<{ mustTravel: boolean }> => {
    const ask = async (args: string[], input?: Buffer) => {
      const ran = await git(args, input === undefined ? {} : { input });
      if (ran.code === 0) return ran.stdout;
      throw new TravelRefusal(`${file} could not be compared with ${commit}: ${complaintOf(ran)}`);
    };
    // A worktree of the task begins from the commit alone.
    const tree = await treeOfSent(ask, commit, manifest.worktree ? null : sent);
    await ask(['read-tree', tree]);
    const fits = async (...how: string[]) =>
      (await git(['apply', ...how, ...CHECKED, '-'], { input: bytes })).code === 0;
    if (await fits('--reverse')) return { mustTravel: false };
    if (!manifest.worktree && (await fits())) return { mustTravel: true };
    throw new TravelRefusal(
      `${file} holds what stages of ${task.id} changed on a worker, and the tree here has other changes; apply it, commit and push, or remove it if the tree has all that the next stages need`,
    );
  });
  if ('how' in found) throw new TravelRefusal(found.message);
  return found.mustTravel ? bytes : null;
}

const CHECKED = ['--check', '--cached', '--whitespace=nowarn', '-p1'];

interface TreeDiff {
  patch: Buffer;
  names: string[];
  /** Changed, but not in the patch: forbidden files, and those that hold secrets by their name. */
  omitted: string[];
  unread: string[];
}

/**
 * Compares the tree as it is now, with untracked files, with a commit; the repository does not change.
 * @param sent a patch of the commit, which is no part of the difference.
 */
export async function diffSince(
  commit: string,
  { sent = null, ...rules }: TreeRules & { environment: NodeJS.ProcessEnv; halt: AbortSignal; sent?: Buffer | null },
): Promise<TreeDiff> {
  const found = await withApart(rules, async (apart): Promise<TreeDiff> => {
    const taken = await takeIn(apart, { ...rules, most: MOST_CHANGED });
    if (taken.how === 'invalid') throw new TravelRefusal(taken.message);
    const ask = async (args: string[], input?: Buffer) => {
      const ran = await apart.git(args, input === undefined ? {} : { input });
      if (ran.code === 0) return ran.stdout;
      throw new TravelRefusal(`the tree could not be compared with ${commit}: ${complaintOf(ran)}`);
    };
    const base = await treeOfSent(ask, commit, sent);
    const listed = await ask(['diff-index', '--cached', '-z', '--name-only', '--no-renames', base]);
    const all = listed.split('\0').slice(0, -1);
    const leftOut = leftOutBy(rules);
    const ours = all.filter((name) => leftOut(name) === 'ours');
    const omitted = all.filter((name) => !ours.includes(name) && (leftOut(name) !== null || mayBeSecret(name)));
    const excluded = new Set([...ours, ...omitted]);
    const names = all.filter((name) => !excluded.has(name));
    const unread = taken.unread.filter((name) => !name.endsWith('/'));
    const patch = names.length === 0 ? Buffer.alloc(0) : await patchOf(apart.git, base, [...excluded]);
    return { patch, names, omitted, unread };
  });
  if ('how' in found) throw new TravelRefusal(found.message);
  return found;
}

/** @returns the tree that a worker got; the index is again as before. */
async function treeOfSent(
  ask: (args: string[], input?: Buffer) => Promise<string>,
  commit: string,
  sent: Buffer | null,
): Promise<string> {
  if (sent === null) return commit;
  const now = (await ask(['write-tree', '--missing-ok'])).trim();
  await ask(['read-tree', commit]);
  await ask(['apply', '--cached', '--whitespace=nowarn', '-p1', '-'], sent);
  const tree = (await ask(['write-tree', '--missing-ok'])).trim();
  await ask(['read-tree', now]);
  return tree;
}

/** Above this, git would get too many arguments. */
const MOST_EXCLUDED = 500;

/** By a file: the text of a patch need not be UTF-8. */
async function patchOf(
  git: Parameters<Parameters<typeof withApart>[1]>[0]['git'],
  base: string,
  excluded: string[],
): Promise<Buffer> {
  if (excluded.length > MOST_EXCLUDED)
    throw new TravelRefusal(
      `${excluded.length} of the changed files must not travel (${firstNames(excluded, MOST_NAMED)}); let git ignore them`,
    );
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-patch-'));
  try {
    const file = path.join(folder, 'patch');
    const apartFrom = excluded.map((name) => `:(exclude,literal)${name}`);
    const ran = await git(['diff-index', '--cached', ...PATCH, `--output=${file}`, base, '--', '.', ...apartFrom]);
    if (ran.code !== 0) throw new TravelRefusal(`the changes cannot be read: ${complaintOf(ran)}`);
    return existsSync(file) ? readRegularBytes(file, MOST_PATCH_BYTES) : Buffer.alloc(0);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new TravelRefusal(`the changes cannot be read (${error.message})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whatever the user's settings are. */
const PATCH = [
  ...['-p', '--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '-U3'],
  ...['--diff-algorithm=myers', '--submodule=short', '--src-prefix=a/', '--dst-prefix=b/'],
];

/** Sign-in files and those of variables. An example of one has no secrets. */
export const mayBeSecret = (name: string): boolean =>
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|oauth_creds\.json|gemini-credentials\.json|\.credentials\.json|auth\.json|[^/]*\.(?:pem|p12|pfx|key))$/i.test(
    name,
  );

/** The files that the manifest names, and what a run before has recorded. */
async function inputsOf(
  open: OpenTask,
  forbids: Forbids,
  warnings: string[],
): Promise<Pick<Contents, 'task' | 'tree'>> {
  const { task, manifest, root, cwd, plans, project } = open;
  const [ofTask, ofTree] = [new Set<string>([path.basename(task.manifest!)]), new Set<string>()];
  for (const name of [...inputFiles(task.root), ...recordFiles(task.root)]) ofTask.add(name);
  const file = projectFile(root);
  if (file !== null) ofTree.add(path.basename(file));
  if (project.rules !== null) ofTree.add(project.rules);
  for (const { binary, prefix } of Object.values(project.tools))
    for (const program of [binary, prefix?.[0] ?? ''])
      if (path.isAbsolute(program) && isWithin(root, program) && existsSync(program))
        ofTree.add(path.relative(root, program));
  for (const { stage, role } of plans) {
    const counted = (name: string) => (role.template.from === 'task' ? ofTask : ofTree).add(name);
    const variables = { goal: manifest.goal, task_id: task.id, role: role.name, stage: stage.name };
    readTemplate({ stage: stage.name, task: task.root, root, forbids, counted }, role, variables);
    const attachable = { stage: stage.name, globs: stage.attach, tree: cwd, inputs: task.inputs, state: stateOf(task) };
    const attached = await readAttachments(attachable, root, forbids, 1);
    if (attached.how === 'invalid') throw new TravelRefusal(attached.message);
    for (const { path: name, holds } of attached.attachments) {
      const place = path.resolve(cwd, name);
      if (holds.how !== 'forbidden' && isWithin(root, place) && !isWithin(task.root, place))
        ofTree.add(path.relative(root, place));
    }
  }
  const lacking = await unknownToGit(root, [...ofTree]);
  const read = (folder: string, names: Iterable<string>) => readAll(folder, names, { root, forbids, warnings });
  return { task: read(task.root, [...ofTask].sort()), tree: read(root, lacking.sort()) };
}

/** Those that git ignores; the rest is in the commit or in the patch. */
async function unknownToGit(root: string, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const [rules, tracked] = [await rulesFor(root, names), await trackedPaths(root, null)];
  if (rules === null || tracked === null) throw new TravelRefusal(`git cannot tell which files of ${root} it ignores`);
  const ignored = new Set(rules.flatMap(({ path: name, ignored }) => (ignored ? [name] : [])));
  return names.filter((name) => ignored.has(name) && !tracked.has(name));
}

function readAll(
  folder: string,
  names: Iterable<string>,
  { root, forbids, warnings }: { root: string; forbids: Forbids; warnings: string[] },
): Map<string, Carried> {
  const files = new Map<string, Carried>();
  for (const name of names) {
    const file = path.join(folder, name);
    const inTree = path.relative(root, file);
    const names = [name, inTree, path.relative(realOr(root), realOr(file))];
    if (names.some(mayBeSecret) || forbids(names, file) !== null) {
      warnings.push(`${name} is forbidden or may hold a secret, and does not travel`);
      continue;
    }
    const link = linkMistake(file, [folder, root], forbids);
    if (link !== null) throw new TravelRefusal(`${file} ${link}, and only what is within the project travels`);
    try {
      const mode = lstatSync(file, { throwIfNoEntry: false })?.mode;
      // A template that is looked for before the one that is used need not exist.
      if (mode === undefined) continue;
      files.set(name, { bytes: readFollowedBytes(file, MOST_INPUT_BYTES), isExecutable: (mode & 0o100) !== 0 });
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new TravelRefusal(`${file} cannot be read (${error.message}), so it cannot travel`);
    }
  }
  return files;
}

function tooLarge(packed: number, { task, tree, patch }: Contents): string {
  const sizes = [...task, ...tree].map(([name, { bytes }]) => ({ name, bytes: bytes.length }));
  if (patch !== null) sizes.push({ name: 'the uncommitted changes', bytes: patch.length });
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, MOST_NAMED);
  return `the inputs have ${inMb(packed)} when they are packed, and at most ${inMb(MOST_BYTES)} travel in the database; the largest: ${largest
    .map(({ name, bytes }) => `${name} (${inMb(bytes)})`)
    .join(', ')}; use --shared DIR with a folder that all machines have`;
}
