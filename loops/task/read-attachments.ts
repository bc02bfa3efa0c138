// Reads what a stage attaches: text as head and tail, other files by name only, forbidden files not at all.

import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../policies/prompt/source.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Forbids } from '../tree/forbidden.ts';
import { type Attachable, type AttachedFile, attachedFiles } from './attached-files.ts';
import { readText } from './read-text.ts';

type AttachmentsRead =
  | { how: 'read'; attachments: Attachment[]; warnings: string[] }
  | { how: 'invalid'; message: string };

export const MAX_BYTES = 64 * 1024 * 1024;
/** How many of the largest files the message names if all together are too large. */
const NAMED = 3;

/**
 * @param root the folder to which `security.forbidden_paths` are relative, besides the tree
 * @param windowChars the number of characters to read at each end of a text; the prompt will not contain more
 */
export async function readAttachments(
  of: Attachable,
  root: string,
  forbids: Forbids,
  windowChars: number,
  halt?: AbortSignal,
): Promise<AttachmentsRead> {
  const found = await attachedFiles(of);
  if (found.how === 'invalid') return found;
  const looked: Looked[] = [];
  const unnamed: string[] = [];
  for (const file of found.files) {
    if (halt?.aborted) return invalid(of, STOPPED);
    const seen = await look(file, root, forbids).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
      if (error.code === 'ENOENT' && file.name.includes(NO_UTF8)) return null;
      return `cannot be read (${error.code})`;
    });
    if (seen === null) {
      unnamed.push(`${file.name} has a name that is no UTF-8, and is not included`);
      continue;
    }
    if (typeof seen === 'string') return invalid(of, `${file.name} ${seen}`);
    looked.push(seen);
  }
  const included = looked.filter(({ glob }) => glob === null).sort((a, b) => b.bytes - a.bytes);
  const bytes = included.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES) {
    const largest = included.slice(0, NAMED).map((file) => `${file.name} ${file.bytes}`);
    const all = `${included.length} files have ${bytes} bytes in all`;
    return invalid(of, `${all}; at most ${MAX_BYTES} are attached; the largest: ${largest.join(', ')}`);
  }
  const attachments: Attachment[] = [];
  for (const { name, file, glob, ...size } of looked) {
    if (halt?.aborted) return invalid(of, STOPPED);
    const read = glob === null ? await readText(file, windowChars, MAX_BYTES) : null;
    if (read?.how === 'failed') return invalid(of, `${name} ${read.why}`);
    const holds = read ?? { how: 'forbidden' as const, glob: glob ?? '', ...size };
    attachments.push({ name, path: path.relative(of.tree, file), bytes: holds.bytes, holds });
  }
  return { how: 'read', attachments, warnings: [...found.warnings, ...unnamed] };
}

const STOPPED = 'stopped before all was read';

/** The character that replaces invalid UTF-8 bytes in a name. No file is found by such a name. */
const NO_UTF8 = '\ufffd';

interface Looked {
  name: string;
  file: string;
  bytes: number;
  /** The glob that forbids the file. */
  glob: string | null;
}

/** Checks all names of the file, since each may be forbidden. Returns a sentence if the file leads out of its base. */
async function look({ name, base }: AttachedFile, root: string, forbids: Forbids): Promise<string | Looked> {
  const file = path.join(base, name);
  const [real, realBase, realRoot] = await Promise.all([realpath(file), realpath(base), realpath(root)]);
  if (!isWithin(realBase, real)) return `leads out of ${base} by a symbolic link`;
  const names = [name, path.relative(realBase, real), path.relative(root, file), path.relative(realRoot, real)];
  const { size } = await stat(real);
  return { name, file, bytes: size, glob: forbids([...names, name.replace(/^attachments\//, '')], real) };
}

const invalid = ({ stage }: Attachable, what: string): AttachmentsRead => ({
  how: 'invalid',
  message: `stage ${stage}: attach: ${what}`,
});
