// Builds what a turn sends: the book with the first turn, then only `Next`. It also renames the file in a history.

import type { TurnAnswer, TurnContent } from './service.ts';

export const FIRST_INSTRUCTION =
  'This is the book. Begin now: give the opening and the first section, as the system instruction says.';
const NEXT_INSTRUCTION = 'Next';

/** @param bookParts represent the book: a file reference, or its text. */
export const firstContent = (bookParts: readonly unknown[]): TurnContent => ({
  role: 'user',
  parts: [...bookParts, { text: FIRST_INSTRUCTION }],
});

export const NEXT_CONTENT: TurnContent = { role: 'user', parts: [{ text: NEXT_INSTRUCTION }] };

/** Returns the content unchanged; an answer without content is rebuilt from its readable text. */
export const answerContent = ({ content, text }: TurnAnswer): TurnContent =>
  content ?? { role: 'model', parts: [{ text }] };

export interface FileReference {
  uri: string;
  mimeType: string;
}

export const filePart = ({ uri, mimeType }: FileReference): unknown => ({ fileData: { fileUri: uri, mimeType } });

/**
 * Replaces the file reference in every earlier file part of a user, in both shapes. Everything else remains identical, above all
 * the model's parts.
 */
export const withFile = (contents: readonly TurnContent[], file: FileReference): TurnContent[] =>
  contents.map((content) =>
    content.role === 'user' && content.parts.some(isFilePart)
      ? { ...content, parts: content.parts.map((part) => (isFilePart(part) ? rewritten(part, file) : part)) }
      : content,
  );

type Part = Record<string, unknown>;

const isFilePart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && ('fileData' in part || 'file_data' in part);

function rewritten(part: Part, { uri, mimeType }: FileReference): Part {
  const fresh = { ...part };
  if ('fileData' in part) fresh.fileData = { ...(part.fileData as Part), fileUri: uri, mimeType };
  if ('file_data' in part) fresh.file_data = { ...(part.file_data as Part), file_uri: uri, mime_type: mimeType };
  return fresh;
}

const MAX_HEADING = 1000;

/** Returns the first heading of a section, else its first line. */
export function titleOf(text: string, section: number): string {
  const lines = text.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => /[\p{L}\p{N}]/u.test(line));
  // The regular expressions take quadratic time on a run of blanks or of # that does not end a line.
  const plain = (heading ?? '')
    .slice(0, MAX_HEADING)
    .replace(/^#{1,6}\s+|\s*#+$/g, '')
    .replace(/[*_`]/g, '')
    .trim();
  return plain === '' ? `Section ${section}` : [...plain].slice(0, 120).join('');
}
