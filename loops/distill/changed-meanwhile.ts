// What was read of a distillation before it was ours, looked at once more: another process may have begun it meanwhile.

import { isDeepStrictEqual } from 'node:util';
import { foldStanding } from '../../policies/distill/standing.ts';
import { readCheckpoint } from '../../state/distill/checkpoint.ts';
import type { Journal } from '../../state/journal/journal.ts';
import type { Begun } from './begin.ts';

type Ready = Pick<Extract<Begun, { how: 'begun' }>, 'folder' | 'checkpoint' | 'seen'>;

/** @returns why it is not gone on with; its answers are of one book, whatever `run.json` says. */
export async function changedMeanwhile({ folder, checkpoint, seen }: Ready, journal: Journal): Promise<string | null> {
  const read = await readCheckpoint(folder);
  if (read.how === 'invalid') return read.message;
  if (!isDeepStrictEqual(read.how === 'read' ? read.checkpoint : null, seen))
    return `another process changed ${folder.checkpoint} meanwhile; say it again`;
  const { begun } = foldStanding(journal.read().ledger.distilled).standing();
  if (begun === null) return null;
  const { book_sha256, prompt_sha256 } = checkpoint;
  const another = [
    ...(begun.bookSha256 === book_sha256 ? [] : ['book']),
    ...(begun.promptSha256 === prompt_sha256 ? [] : ['prompt']),
  ];
  if (another.length === 0) return null;
  return `the answers in ${folder.root} are of another ${another.join(' and another ')} (by the SHA-256 in its journal); begin this one under another --name`;
}
