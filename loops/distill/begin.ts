// Prepares a distillation that begins or continues: reads its checkpoint, and finds every mistake that costs nothing here.

import path from 'node:path';
import { foldStanding } from '../../policies/distill/distillation.ts';
import { CLI_MODEL, DEFAULT_DISTILL_MODEL } from '../../policies/distill/models.ts';
import { DEFAULT_END_MARKER, defaultPrompt, withoutMarker } from '../../policies/distill/turn-contents.ts';
import { kindOf, lookAt, readFollowed, readRegularOrNull, UnfitFileError } from '../../state/disk/regular-file.ts';
import { type DistillCheckpoint, readCheckpoint } from '../../state/distill/checkpoint.ts';
import { isMadeOf } from '../../state/distill/live-document.ts';
import { type DistillFolder, locateDistill } from '../../state/distill/run-folder.ts';
import { turnOrNull } from '../../state/distill/turns.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { hashOf } from '../../state/supervise/texts.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type BookFound, lookAtBook } from './book/book.ts';
import { documentOf } from './open-run.ts';
import type { DistillRequest } from './request.ts';

type Begun =
  | {
      how: 'ready';
      folder: DistillFolder;
      checkpoint: DistillCheckpoint;
      prompt: string;
      found: FoundBook;
      /** The state on disk before; null for a run that begins. */
      seen: DistillCheckpoint | null;
    }
  | { how: 'invalid'; message: string };

type FoundBook = Extract<BookFound, { how: 'book' }>;

export async function begin(request: DistillRequest): Promise<Begun> {
  const { aim, context } = request;
  const name = aim.how === 'resume' ? aim.name : (aim.name ?? nameOf(aim.book));
  const located = locateDistill(name, context.cwd, context.environment);
  if (located.how === 'invalid') return located;
  const read = await readCheckpoint(located.folder);
  if (read.how === 'invalid') return read;
  if (read.how === 'absent')
    return aim.how === 'book'
      ? beginNew(aim, name, located.folder, request)
      : invalid(`there is no distillation "${name}"; tollgate distill status lists them`);
  return goOn(located.folder, read.checkpoint, request);
}

async function beginNew(
  aim: Extract<DistillRequest['aim'], { how: 'book' }>,
  name: string,
  folder: DistillFolder,
  request: DistillRequest,
): Promise<Begun> {
  const { said, context } = request;
  const via = said.via ?? null;
  const model = said.model ?? (via === null ? DEFAULT_DISTILL_MODEL : CLI_MODEL);
  const endMarker = said.endMarker ?? DEFAULT_END_MARKER;
  const prompt = promptFor(aim.promptFile, context.cwd, endMarker);
  if (prompt.how === 'invalid') return prompt;
  const book = path.resolve(context.cwd, aim.book);
  const found = await lookAtBook(book);
  if (found.how === 'refused') return invalid(found.message);
  if (via !== null && found.kind === 'pdf') return invalid(NO_PDF);
  const checkpoint: DistillCheckpoint = {
    schema: 1,
    name,
    book,
    book_sha256: found.sha256,
    prompt_file: prompt.file,
    prompt_sha256: hashOf(prompt.text),
    model,
    via,
    temperature: said.temperature,
    end_marker: endMarker,
    max_tokens: request.terms.budgets.maxTokens,
    max_usd: request.terms.budgets.maxUsd,
    no_check: [...(said.noCheck ?? [])],
    out: said.out === null ? folder.root : path.resolve(context.cwd, said.out),
  };
  return { how: 'ready', folder, checkpoint, prompt: prompt.text, found, seen: null };
}

async function goOn(folder: DistillFolder, checkpoint: DistillCheckpoint, request: DistillRequest): Promise<Begun> {
  const { aim } = request;
  const prompt = readRegularOrNull(folder.prompt) ?? '';
  if (hashOf(prompt) !== checkpoint.prompt_sha256)
    return invalid(
      `${folder.prompt} is gone or was changed since the run was begun; put it back, or begin again under another --name`,
    );
  if (aim.how === 'book') {
    const changed = await changedSince(aim, checkpoint, request);
    if (changed !== null) return invalid(changed);
  }
  const found = await lookAtBook(checkpoint.book);
  if (found.how === 'refused') return invalid(`${found.message}; the distillation ${folder.name} needs it`);
  if (found.sha256 !== checkpoint.book_sha256)
    return invalid(
      `${checkpoint.book} is another book than ${folder.name} was begun with (its SHA-256 differs); put that one back, or begin this one under another --name`,
    );
  const goesOn = withSaid(checkpoint, request);
  return { how: 'ready', folder, checkpoint: goesOn, prompt, found, seen: checkpoint };
}

const NO_PDF =
  'over a CLI a book is an EPUB or a text, for not every CLI reads a PDF; convert it, or leave --via out: the API reads PDFs';

/** Naming the same book and prompt again means the existing run, unless one of them has changed. */
async function changedSince(
  { promptFile, book }: { promptFile: string | null; book: string },
  checkpoint: DistillCheckpoint,
  { said, context }: DistillRequest,
): Promise<string | null> {
  const { name } = checkpoint;
  const ways = `tollgate distill resume ${name} continues with what it was begun with; --name begins another`;
  if (path.resolve(context.cwd, book) !== checkpoint.book)
    return `there is a distillation ${name} of ${checkpoint.book}; ${ways}`;
  // A command without --prompt means the run's own prompt.
  if (promptFile !== null) {
    const prompt = promptFor(promptFile, context.cwd, checkpoint.end_marker);
    if (prompt.how === 'invalid') return prompt.message;
    if (hashOf(prompt.text) !== checkpoint.prompt_sha256)
      return `${promptFile} is not the prompt that ${name} was started with; ${ways}`;
  }
  if (said.via && said.via !== checkpoint.via) return `${name} was begun over ${checkpoint.via ?? 'the API'}; ${ways}`;
  if (said.model !== null && said.model !== checkpoint.model)
    return `${name} was begun with ${checkpoint.model}; tollgate distill resume ${name} --model ${said.model} changes it in the middle, --name begins another`;
  return null;
}

const withSaid = (
  checkpoint: DistillCheckpoint,
  { said, terms: { budgets }, context: { cwd } }: DistillRequest,
): DistillCheckpoint => ({
  ...checkpoint,
  model: said.model ?? checkpoint.model,
  temperature: said.temperature ?? checkpoint.temperature,
  end_marker: said.endMarker ?? checkpoint.end_marker,
  max_tokens: budgets.maxTokens ?? checkpoint.max_tokens,
  max_usd: budgets.maxUsd ?? checkpoint.max_usd,
  no_check: said.noCheck === null ? checkpoint.no_check : [...said.noCheck],
  out: said.out === null ? checkpoint.out : path.resolve(cwd, said.out),
});

/** Makes a name from the book's file name without its extension, in the characters that a name may have. */
function nameOf(book: string): string {
  const plain = path
    .basename(book, path.extname(book))
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return plain === '' ? 'book' : plain;
}

type PromptRead = { how: 'read'; file: string | null; text: string } | { how: 'invalid'; message: string };

const MAX_PROMPT_BYTES = 1024 * 1024;

function promptFor(promptFile: string | null, cwd: string, endMarker: string): PromptRead {
  if (promptFile === null) return { how: 'read', file: null, text: defaultPrompt(endMarker) };
  const file = path.resolve(cwd, promptFile);
  try {
    const text = readFollowed(file, MAX_PROMPT_BYTES);
    return text.trim() === '' ? invalid(`the prompt ${file} is empty`) : { how: 'read', file, text };
  } catch (error) {
    if (!(error instanceof UnfitFileError) && !isSystemError(error)) throw error;
    return invalid(`the prompt cannot be read: ${(error as Error).message}`);
  }
}

const invalid = (message: string) => ({ how: 'invalid' as const, message });

interface Placing {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  /** The previous checkpoint; null for a run that begins. */
  seen: DistillCheckpoint | null;
}

/** @returns what is wrong with the place, or null. */
export function placeMistake({ folder, checkpoint, seen }: Placing): string | null {
  const { book, prompt_file, out } = checkpoint;
  const file = documentOf(checkpoint);
  const obstacle = firstNoFolder(out);
  if (obstacle !== null)
    return `the live document would go to ${file}, and ${obstacle} is not a folder; name another place with --out`;
  if (isSame(file, book) || (prompt_file !== null && isSame(file, prompt_file)))
    return `the live document would be ${file}, which the distillation reads; name another folder with --out`;
  // A document in the run's own folder, or in its earlier place, is ours. If we did not write its content, it is moved aside
  // there.
  if (out === folder.root || (seen !== null && documentOf(seen) === file)) return null;
  const kind = kindOf(file);
  return kind === null || (seen !== null && isMadeOf(file, textsOf(folder, checkpoint)))
    ? null
    : `the live document would be ${file}, and ${kind} is there already; move it away, or name another folder with --out`;
}

/** Returns the texts of all answers: a document in its earlier place may hold sections that were deleted since. */
function textsOf(folder: DistillFolder, { end_marker }: DistillCheckpoint): string[] {
  const { turns } = foldStanding(openJournal(folder.root, () => new Date()).read().ledger.distilled).standing();
  return Array.from({ length: turns }, (_, i) => turnOrNull(folder, i + 1)).flatMap((kept) =>
    kept === null ? [] : [withoutMarker(kept.answer.text, end_marker)],
  );
}

/** Returns the nearest existing part of the path, if it is not a folder. */
function firstNoFolder(place: string): string | null {
  const found = lookAt(place);
  if (found !== null) return found.isDirectory() ? null : place;
  // A dangling symlink.
  if (kindOf(place) !== null) return place;
  const above = path.dirname(place);
  return above === place ? null : firstNoFolder(above);
}

/** Compares the files themselves, whatever their names are. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [lookAt(one), lookAt(other)];
  return a !== null && b !== null && a.dev === b.dev && a.ino === b.ino;
}
