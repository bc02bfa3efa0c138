// Reads what a stage attaches: text as head and tail, anything else by name, forbidden files not at all.

import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../policies/prompt/source.ts';
import { isWithin } from '../../state/disk/real-path.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Forbids } from '../paths/forbidden.ts';
import { type Attachable, type AttachedFile, attachedFiles } from './attached-files.ts';
import { readText } from './read-text.ts';

type AttachmentsRead =
  | { how: 'read'; attachments: Attachment[]; warnings: string[] }
  | { how: 'invalid'; message: string };

export const MAX_BYTES = 64 * 1024 * 1024;
/** How many of those that are too large together are named. */
const NAMED = 3;

/**
 * @param root what `security.forbidden_paths` are relative to, beside the tree
 * @param windowChars of a text as much is read at either end; no more of it will be in the prompt
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

/** What stands in a name for bytes that are no text: nothing is found by it. */
const NO_UTF8 = '\ufffd';

interface Looked {
  name: string;
  file: string;
  bytes: number;
  /** Which forbids it. */
  glob: string | null;
}

/** A file may be forbidden by each of its names. Or what is wrong with it. */
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
