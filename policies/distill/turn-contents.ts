// What a turn sends: the book with the first one, then only `Next`; and a history that names another file.

import type { TurnAnswer, TurnContent } from './service.ts';

export const FIRST_INSTRUCTION =
  'This is the book. Begin now: give the opening and the first section, as the system instruction says.';
const NEXT_INSTRUCTION = 'Next';

/** @param bookParts what stands for the book: a file's reference, or its text. */
export const firstContent = (bookParts: readonly unknown[]): TurnContent => ({
  role: 'user',
  parts: [...bookParts, { text: FIRST_INSTRUCTION }],
});

export const NEXT_CONTENT: TurnContent = { role: 'user', parts: [{ text: NEXT_INSTRUCTION }] };

/** As it came; one without content is what can be read of it. */
export const answerContent = ({ content, text }: TurnAnswer): TurnContent =>
  content ?? { role: 'model', parts: [{ text }] };

export interface FileReference {
  uri: string;
  mimeType: string;
}

export const filePart = ({ uri, mimeType }: FileReference): unknown => ({ fileData: { fileUri: uri, mimeType } });

/** Every earlier file part of a user names the new file, in both shapes; all else is the very same, what a model said above all. */
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

/** The first heading of a section, else its first line. */
export function titleOf(text: string, section: number): string {
  const lines = text.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => /[\p{L}\p{N}]/u.test(line));
  // A run of blanks or of # that ends no line costs the square of its length.
  const plain = (heading ?? '')
    .slice(0, MAX_HEADING)
    .replace(/^#{1,6}\s+|\s*#+$/g, '')
    .replace(/[*_`]/g, '')
    .trim();
  return plain === '' ? `Section ${section}` : [...plain].slice(0, 120).join('');
}
