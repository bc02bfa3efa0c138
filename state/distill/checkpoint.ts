// Stores the checkpoint of a distillation: its request parameters, with the hashes of what must not change meanwhile.

import { type BuiltIn, isBuiltIn } from '../../policies/facts/tools.ts';
import { readJson, writeJson } from '../atomic-file.ts';
import type { DistillFolder } from './run-folder.ts';

export interface DistillCheckpoint {
  schema: 1;
  name: string;
  /** Absolute. */
  book: string;
  book_sha256: string;
  /** Absolute; null is the default prompt. Its text is kept beside this file. */
  prompt_file: string | null;
  prompt_sha256: string;
  model: string;
  /** The CLI that is called instead of the API; absent, or null: the API. */
  via?: BuiltIn | null;
  temperature: number | null;
  end_marker: string;
  /** For the whole distillation, until another run sets other limits; null is no limit. */
  max_tokens: number | null;
  max_usd: number | null;
  /** Names of checks that are switched off. */
  no_check: string[];
  /** The absolute folder for the live document and the exports. */
  out: string;
}

type ReadCheckpoint =
  | { how: 'read'; checkpoint: DistillCheckpoint }
  | { how: 'absent' }
  | { how: 'invalid'; message: string };

export const writeCheckpoint = (folder: DistillFolder, checkpoint: DistillCheckpoint): Promise<void> =>
  writeJson(folder.checkpoint, checkpoint);

/** An invalid checkpoint is not changed, but reported. */
export async function readCheckpoint({ checkpoint: file }: DistillFolder): Promise<ReadCheckpoint> {
  const read = await readJson<DistillCheckpoint>(file, () => new Date(), 'in_place');
  if (read.how === 'absent') return read;
  if (read.how !== 'read') return { how: 'invalid', message: `${read.message}; ${WHAT_TO_DO}` };
  const mistake = mistakeIn(read.value);
  if (mistake !== null) return { how: 'invalid', message: `${file}: ${mistake}; ${WHAT_TO_DO}` };
  return { how: 'read', checkpoint: read.value };
}

const WHAT_TO_DO = 'fix it, or start the book again under another --name; the answers are in turns/ beside it';

function mistakeIn(value: DistillCheckpoint): string | null {
  if (value.schema !== 1) return `it is of another version (schema ${String(value.schema)})`;
  const texts = ['name', 'book', 'model', 'end_marker', 'out'] as const;
  const wrong = texts.find((field) => typeof value[field] !== 'string' || value[field] === '');
  if (wrong !== undefined) return `"${wrong}" must be a text`;
  const { prompt_file } = value;
  if (prompt_file !== null && (typeof prompt_file !== 'string' || prompt_file === ''))
    return '"prompt_file" must be a text or null';
  const hash = (['book_sha256', 'prompt_sha256'] as const).find(
    (field) => !/^[0-9a-f]{64}$/.test(String(value[field])),
  );
  if (hash !== undefined) return `"${hash}" must be a SHA-256`;
  if (value.temperature !== null && typeof value.temperature !== 'number')
    return '"temperature" must be a number or null';
  if (value.via !== undefined && value.via !== null && !isBuiltIn(value.via))
    return '"via" must be the name of a CLI, or null';
  const limit = (['max_tokens', 'max_usd'] as const).find(
    (field) => value[field] !== null && typeof value[field] !== 'number',
  );
  if (limit !== undefined) return `"${limit}" must be a number or null`;
  return Array.isArray(value.no_check) ? null : '"no_check" must be a list';
}
