// Packs files into a bundle (a gzipped JSON map), reads one that may be hostile, and writes its files within a folder.

import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { makeFolder, makeFolders } from '../../state/disk/folder.ts';
import { kindOf, readBytesOrNull } from '../../state/disk/regular-file.ts';
import { replaceFile } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { TravelRefusal } from './refusal.ts';

export interface Carried {
  bytes: Buffer;
  isExecutable: boolean;
}

/** The files of the task's folder, those of the tree that git does not have, and the changes since the commit. */
export interface Contents {
  task: Map<string, Carried>;
  tree: Map<string, Carried>;
  patch: Buffer | null;
}

/** The bytes themselves, or the file of the shared folder that has them. */
export type Freight = Buffer | { shared: string };

/** Of the bytes in the database. */
export const MOST_BYTES = 5 * 1024 * 1024;
/** Of all files of a bundle together; the second is for the shared folder. */
const MOST_UNPACKED = { inJob: 64 * 1024 * 1024, shared: 256 * 1024 * 1024 };
const MOST_FILES = 10_000;
const VERSION = 1;

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The sizes are checked here too, since the other side refuses what is larger. @param largest for the message. */
export function packContents({ task, tree, patch }: Contents, shared: string | null): Buffer {
  const count = task.size + tree.size;
  if (count > MOST_FILES) throw new TravelRefusal(`it has ${count} files, and at most ${MOST_FILES} travel`);
  const most = shared === null ? MOST_UNPACKED.inJob : MOST_UNPACKED.shared;
  const bytes = sizeOf({ task, tree, patch });
  if (bytes > most) throw new TravelRefusal(`it has ${inMb(bytes)}, and at most ${inMb(most)} travel`);
  const listed = (files: Contents['task']) =>
    Object.fromEntries(
      [...files].map(([name, { bytes, isExecutable }]) => [name, [bytes.toString('base64'), isExecutable ? 1 : 0]]),
    );
  const text = JSON.stringify({
    version: VERSION,
    patch: patch?.toString('base64') ?? null,
    task: listed(task),
    tree: listed(tree),
  });
  return gzipSync(text);
}

export const inMb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

const sizeOf = ({ task, tree, patch }: Contents): number =>
  [...task.values(), ...tree.values()].reduce((sum, { bytes }) => sum + bytes.length, patch?.length ?? 0);

/** Writes the bytes under their hash, which the other side checks. @returns the file. */
export function putShared(folder: string, bytes: Buffer): string {
  const file = path.join(path.resolve(folder), `${hashOf(bytes)}.tollgate`);
  try {
    makeFolders(path.dirname(file));
    // The same bytes may be there already, written by another user.
    if (kindOf(file) === null) replaceFile(file, 'synced', (fd) => writeFileSync(fd, bytes));
    // Another user reads it, on another machine.
    chmodSync(file, 0o644);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (kindOf(file) !== null) return file;
    throw new TravelRefusal(`the shared folder ${folder} cannot be written (${error.message})`);
  }
  return file;
}

/** Checks everything: the bytes may come from a stranger. @param what for messages: "the bundle of fix". */
export function unpackContents(freight: Freight, hash: string, what: string): Contents {
  const bytes = Buffer.isBuffer(freight) ? freight : readShared(freight.shared, what);
  if (hashOf(bytes) !== hash) throw new TravelRefusal(`${what} is not what was sent: its hash differs`);
  const most = Buffer.isBuffer(freight) ? MOST_UNPACKED.inJob : MOST_UNPACKED.shared;
  const data = parsed(bytes, most, what);
  if (data.version !== VERSION)
    throw new TravelRefusal(
      `${what} has version ${String(data.version)}, and this tollgate reads version ${VERSION}; install the same version on both machines`,
    );
  const [task, tree] = [filesOf(data.task, what), filesOf(data.tree, what)];
  if (task.size + tree.size > MOST_FILES) throw new TravelRefusal(`${what} has more than ${MOST_FILES} files`);
  const { patch } = data;
  if (patch !== null && typeof patch !== 'string') throw damaged(what);
  return { task, tree, patch: patch === null ? null : Buffer.from(patch, 'base64') };
}

function readShared(file: string, what: string): Buffer {
  try {
    const bytes = readBytesOrNull(file, MOST_UNPACKED.shared);
    if (bytes !== null) return bytes;
    throw new TravelRefusal(
      `${what} is not in the shared folder: ${file} does not exist on this machine; mount the folder at the same path`,
    );
  } catch (error) {
    if (error instanceof TravelRefusal) throw error;
    throw new TravelRefusal(`${what} cannot be read in the shared folder (${(error as Error).message})`);
  }
}

type Data = Partial<Record<'version' | 'task' | 'tree' | 'patch', unknown>>;

function parsed(bytes: Buffer, most: number, what: string): Data {
  try {
    // Base64 is a third longer than its bytes.
    const text = gunzipSync(bytes, { maxOutputLength: most * 1.5 }).toString('utf8');
    const data = JSON.parse(text) as unknown;
    if (typeof data === 'object' && data !== null) return data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new TravelRefusal(`${what} is larger than ${inMb(most)} after unpacking, and is refused`);
  }
  throw damaged(what);
}

const damaged = (what: string) => new TravelRefusal(`${what} is damaged: it is no bundle of tollgate`);

function filesOf(listed: unknown, what: string): Contents['task'] {
  if (typeof listed !== 'object' || listed === null) throw damaged(what);
  return new Map(
    Object.entries(listed).map(([name, entry]) => {
      const mistake = nameMistake(name);
      if (mistake !== null) throw new TravelRefusal(`${what} is refused: ${JSON.stringify(name)} ${mistake}`);
      const [bytes, mode] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (typeof bytes !== 'string') throw damaged(what);
      return [name, { bytes: Buffer.from(bytes, 'base64'), isExecutable: mode === 1 }];
    }),
  );
}

/** Why a name cannot be that of a file within a folder, without a subject; null if it can. */
export function nameMistake(name: string): string | null {
  if (path.isAbsolute(name)) return 'is an absolute path';
  if (/[\0-\x1f\x7f]/.test(name)) return 'has a control character';
  const steps = name.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return 'leads out of its folder';
  return steps.some((step) => /^\.git[. ]*$/i.test(step)) ? "is in git's own folder" : null;
}

/** Follows no link on the way: the checkout may contain some. */
export function writeFiles(folder: string, files: Contents['task'], what: string): void {
  for (const [name, { bytes, isExecutable }] of files) {
    const file = path.join(folder, name);
    const link = linkOnTheWay(folder, name);
    if (link !== null)
      throw new TravelRefusal(`${what} is refused: ${name} would be written through ${link}, which is a symbolic link`);
    makeFolder(path.dirname(file));
    replaceFile(file, 'renamed', (fd) => writeFileSync(fd, bytes));
    if (isExecutable) chmodSync(file, 0o700);
  }
}

export function linkOnTheWay(folder: string, name: string): string | null {
  const steps = path.dirname(name).split('/');
  for (let i = 1; i <= steps.length; i += 1) {
    const at = path.join(folder, ...steps.slice(0, i));
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
  }
  return null;
}
