// Packs what a run on a worker has recorded and changed, and writes it into the folder of the task from which it came.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { lookIntoWorktree } from '../../loops/run/worktree.ts';
import { treeRules } from '../../loops/task/keep-start.ts';
import type { RunSettings } from '../../loops/task/run-context.ts';
import { openTask } from '../../loops/task/task.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readBytesIfFit, readBytesOrNull } from '../../state/disk/regular-file.ts';
import { journalOf, MAX_JOURNAL_BYTES } from '../../state/journal/journal.ts';
import {
  type Carried,
  type Contents,
  type Freight,
  hashOf,
  inMb,
  MOST_BYTES,
  packContents,
  putShared,
  unpackContents,
  writeFiles,
} from './bundle.ts';
import { inputFiles, isPatch, PATCH_FILE, resultFiles } from './files.ts';
import { diffSince, type PackedTask } from './pack.ts';
import { TravelRefusal } from './refusal.ts';
import type { UnpackedTask } from './unpack.ts';

/** A result as it travels. All fields but the bytes are JSON. */
export interface PackedResult {
  version: 1;
  task: string;
  remote: string;
  commit: string;
  /** The task's folder, relative to the tree. */
  place: string;
  /** Where the run was. */
  from: { host: string; folder: string; worktree: string };
  /** One sentence for each part that is not in the result. */
  omitted: string[];
  resultHash: string;
  result: Freight;
}

interface ResultRequest extends RunSettings {
  packed: PackedTask;
  unpacked: UnpackedTask;
  shared: string | null;
}

const MOST_FILE_BYTES = 64 * 1024 * 1024;
/** Less than the reader of a bundle takes: base64 and JSON around files need room too. */
const ROOM = {
  inJob: { packed: 0.9 * MOST_BYTES, unpacked: 50 * 1024 * 1024, files: 9_000, where: 'the database' },
  shared: { packed: 200 * 1024 * 1024, unpacked: 200 * 1024 * 1024, files: 9_000, where: 'the shared folder' },
};

/** Never refuses a result, since it was paid for: what does not fit is named, and stays on the worker. */
export async function packResult(request: ResultRequest): Promise<PackedResult> {
  const { packed, unpacked, shared } = request;
  const { folder, worktree, manifestFile } = unpacked;
  const { task, remote, commit } = packed;
  const from = { host: hostname(), folder, worktree };
  const omitted: string[] = [];
  const patch = await patchOf(request, omitted);
  const files: [string, Carried][] = [];
  for (const name of [path.basename(manifestFile), ...inputFiles(folder), ...resultFiles(folder)].sort(
    (a, b) => rankOf(a) - rankOf(b),
  )) {
    const bytes = readBytesIfFit(path.join(folder, name), MOST_FILE_BYTES);
    if (bytes === null) omitted.push(`${name} cannot be read, or has more than ${inMb(MOST_FILE_BYTES)}`);
    else files.push([name, { bytes, isExecutable: false }]);
  }
  const packedWith = (room: keyof typeof ROOM) => {
    const without = [...omitted];
    const bytes = packContents(fitting(files, patch, without, ROOM[room]), room === 'inJob' ? null : shared);
    const note = without.length === 0 ? [] : [`what is omitted is on ${from.host} in ${folder}`];
    return { bytes, omitted: [...without, ...note] };
  };
  const put = shared === null ? null : inShared(packedWith('shared'), shared, omitted);
  const inJob = put === null ? packedWith('inJob') : null;
  return {
    version: 1,
    ...{ task, remote, commit, place: packed.folder, from },
    omitted: (put ?? inJob!).omitted,
    resultHash: hashOf((put ?? inJob!).bytes),
    result: put === null ? inJob!.bytes : { shared: put.file },
  };
}

/** null if the folder cannot be written: then the database gets what it has room for. */
function inShared<Packed extends { bytes: Buffer }>(
  packed: Packed,
  shared: string,
  omitted: string[],
): (Packed & { file: string }) | null {
  try {
    return { ...packed, file: putShared(shared, packed.bytes) };
  } catch (error) {
    if (!(error instanceof TravelRefusal)) throw error;
    omitted.push(error.message);
    return null;
  }
}

/** The record first, then the answers, and last what only an investigation needs. */
function rankOf(name: string): number {
  if (/^(?:state\/[^/]+|outputs\/[^/]+\.json|outputs\/_[^/]+|manifest\.[a-z]+)$/.test(name)) return 0;
  if (/\.out$|^done\/|^inputs\//.test(name)) return 1;
  return name.startsWith('state/attempts/') ? 3 : 2;
}

/** Each part has room if all before it have. */
function fitting(
  files: readonly [string, Carried][],
  patch: Buffer | null,
  omitted: string[],
  { where, ...most }: (typeof ROOM)['inJob' | 'shared'],
): Contents {
  const room = { ...most };
  const takes = (bytes: Buffer, what: string): boolean => {
    const size = gzipSync(bytes.toString('base64')).length + what.length;
    const fits = size <= room.packed && bytes.length <= room.unpacked && room.files > 0;
    if (!fits) omitted.push(`${what} (${inMb(bytes.length)}) has no room in ${where}`);
    else
      Object.assign(room, {
        packed: room.packed - size,
        unpacked: room.unpacked - bytes.length,
        files: room.files - 1,
      });
    return fits;
  };
  const of = (rank: (n: number) => boolean) =>
    files.filter(([name, { bytes }]) => rank(rankOf(name)) && takes(bytes, name));
  const first = of((rank) => rank <= 1);
  const kept = patch !== null && takes(patch, THE_PATCH) ? patch : null;
  return { task: new Map([...first, ...of((rank) => rank > 1)]), tree: new Map(), patch: kept };
}

const THE_PATCH = 'the patch of the tree';

/** What its stages changed. The submitter still has the changes that came with the task. */
async function patchOf(request: ResultRequest, omitted: string[]): Promise<Buffer | null> {
  const { context, options, packed, unpacked } = request;
  try {
    const opened = await openTask({ ...context, ...options, word: unpacked.folder }, 'look');
    if (opened.how === 'invalid') throw new TravelRefusal(opened.message);
    // A task with a worktree of its own has changed nothing else.
    const { tree } = lookIntoWorktree(opened.open) ?? opened.open;
    const rules = await treeRules({ ...opened.open, tree }, context, tree);
    // A worktree is made of the commit, without the changes that came with the task.
    const isSent = tree === opened.open.tree;
    const { patch: sent } = unpackContents(packed.bundle, packed.bundleHash, `the bundle of ${packed.task}`);
    const diff = await diffSince(packed.commit, { ...rules, sent: isSent ? sent : null });
    for (const name of diff.omitted) omitted.push(`${name} is forbidden or may hold a secret`);
    for (const name of diff.unread) omitted.push(`${name} cannot be read, or is too large`);
    return diff.names.length === 0 ? null : diff.patch;
  } catch (error) {
    if (!(error instanceof TravelRefusal)) throw error;
    omitted.push(`${THE_PATCH}: ${error.message}`);
    return null;
  }
}

interface FetchedResult {
  /** Relative to the task's folder; null if the tree did not change, or if its changes did not come back. */
  patch: string | null;
  /** Why the changes did not come back; null if they did. */
  lost: string | null;
  files: number;
}

/** They name files of the worker, for people. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['outputs/_summary.md', 'state/last_failure.json']);

/** Writes a result into the task's folder. Throws a TravelRefusal if that has a record which the result does not continue. */
export function unpackResult(packed: PackedResult, { folder, root }: { folder: string; root: string }): FetchedResult {
  const { version, task, result, resultHash, from, omitted } = packed;
  if (version !== 1)
    throw new TravelRefusal(
      `the result of ${task} was packed by a newer tollgate (version ${String(version)} of the format); install that one here`,
    );
  const what = `the result of ${task}`;
  const { task: files, patch } = unpackContents(result, resultHash, what);
  const journal = 'state/journal.jsonl';
  const fetched = files.get(journal)?.bytes ?? Buffer.alloc(0);
  const here = readBytesOrNull(journalOf(folder), MAX_JOURNAL_BYTES) ?? Buffer.alloc(0);
  if (!fetched.subarray(0, here.length).equals(here))
    throw new TravelRefusal(
      `${task} has a journal here (${journalOf(folder)}) that its result does not continue, so nothing was written; move it away (tollgate archive ${task}), and fetch again`,
    );
  // The journal comes last: while it is missing, nothing of the result counts.
  const written = [...files].filter(
    ([name]) => name !== journal && !(isInput(name) && existsSync(path.join(folder, name))),
  );
  const local = written.map(([name, file]): [string, Carried] => [
    name,
    FOR_PEOPLE.has(name) ? { ...file, bytes: asHere(file.bytes) } : file,
  ]);
  makeFolders(folder);
  writeFiles(folder, new Map(local), what);
  const lost = omitted.find((sentence) => sentence.startsWith(THE_PATCH)) ?? null;
  const note = `What ${task} changed is not here: ${lost}. It is on ${from.host} in ${from.worktree}.\n`;
  if (lost !== null) keepEarlierPatch(folder);
  // Without the changes, a next submission would go on from another tree.
  const kept = patch ?? (lost === null ? null : Buffer.from(note));
  if (kept === null) rmSync(path.join(folder, PATCH_FILE), { force: true });
  else writeFiles(folder, new Map([[PATCH_FILE, { bytes: kept, isExecutable: false }]]), what);
  if (files.has(journal)) writeFiles(folder, new Map([[journal, files.get(journal)!]]), what);
  return { patch: patch === null ? null : PATCH_FILE, lost, files: written.length };

  function asHere(bytes: Buffer): Buffer {
    return Buffer.from(bytes.toString('utf8').replaceAll(from.folder, folder).replaceAll(from.worktree, root));
  }
}

/** The patch of an earlier result, which the new one cannot replace. */
function keepEarlierPatch(folder: string): void {
  const file = path.join(folder, PATCH_FILE);
  const text = readBytesIfFit(file, MOST_FILE_BYTES)?.toString('latin1') ?? '';
  if (isPatch(text)) renameSync(file, path.join(folder, 'outputs/_fleet.earlier.patch'));
}

const isInput = (name: string): boolean => /^manifest\.|^inputs\//.test(name) && !name.startsWith('inputs/prompt/');
