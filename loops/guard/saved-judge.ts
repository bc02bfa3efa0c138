// Writes the judge files of a call to disk beside its entry, for the next run if this one is killed.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegular, readRegularBytes, UnfitFileError } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { sha256 } from '../attempt/phases.ts';
import { lookAt } from './file-look.ts';
import { type JudgedFolder, type KeptFile, type KeptFiles, LIMITS } from './kept-files.ts';

interface Saved {
  /** The stamp of the file that contains all small files, one after the other. */
  pack: string | null;
  files: [file: string, kept: SavedFile | null][];
  folders: [folder: string, kept: JudgedFolder][];
}

interface SavedFile extends Omit<KeptFile, 'content'> {
  /** The offset in the pack; null for a file that is not in it. */
  at: number | null;
}

/**
 * Not synced, because an agent does not survive a loss of power.
 * @param prompt the file whose text is sent. It is not kept: the next run composes it again, and the call has its own copy.
 */
export function saveJudge(folder: string, { files, folders }: KeptFiles, prompt?: string): void {
  const contents: Buffer[] = [];
  let at = 0;
  const rows = [...files].map(([file, kept]): Saved['files'][number] => {
    if (kept === null) return [file, null];
    const { content, ...rest } = kept;
    if (content === null) return [file, { ...rest, at: null }];
    if (file === prompt) return [file, { ...rest, at: null, sha256: sha256(content) }];
    contents.push(content);
    at += content.length;
    return [file, { ...rest, at: at - content.length }];
  });
  const pack = path.join(folder, PACK);
  writeFileSync(pack, Buffer.concat(contents), { mode: 0o600, flag: 'wx' });
  const saved: Saved = { pack: lookAt(pack)?.stamp ?? null, files: rows, folders: [...folders] };
  writeFileSync(path.join(folder, INDEX), JSON.stringify(saved), { mode: 0o600, flag: 'wx' });
}

/** Returns null if there is no usable data. An edited pack is ignored; then changes of its files are only detected. */
export function loadJudge(folder: string): KeptFiles | null {
  try {
    const { pack, files, folders } = JSON.parse(readRegular(path.join(folder, INDEX), MAX_INDEX_BYTES)) as Saved;
    const file = path.join(folder, PACK);
    const isIntact = lookAt(file)?.stamp === pack;
    const bytes = isIntact ? readRegularBytes(file, LIMITS.inMemory.all) : null;
    const rows = files.map(([name, saved]): [string, KeptFile | null] => {
      if (saved === null) return [name, null];
      const { at, ...rest } = saved;
      return [name, { ...rest, content: at === null || bytes === null ? null : bytes.subarray(at, at + rest.bytes) }];
    });
    return { files: new Map(rows), folders: new Map(folders), unkept: [] };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnfitFileError || isSystemError(error)) return null;
    throw error;
  }
}

const [PACK, INDEX] = ['pack', 'kept.json'];
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
