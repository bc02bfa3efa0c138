// Builds what the turns of a distillation send: the instruction, the book, `Next`; and reads the end marker.

import type { TurnAnswer, TurnContent } from './service.ts';

export const FIRST_INSTRUCTION =
  'This is the book. Begin now: write the opening paragraph and the first section, as the system instruction says.';
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

/** Replaces the file reference in every earlier file part of a user, in both shapes, and nothing else. */
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

export const DEFAULT_END_MARKER = '<end_of_book>';

/**
 * Whether an answer ends the book: it ends with the end marker, a literal text. Only white space may follow the marker, and white space around the marker itself is ignored. Elsewhere in the text it has no
 * meaning.
 */
export function reachesEnd(text: string, marker: string): boolean {
  const literal = marker.trim();
  return literal !== '' && text.trimEnd().endsWith(literal);
}

/** Returns the text without the marker at its end. */
export const withoutMarker = (text: string, marker: string): string =>
  reachesEnd(text, marker) ? text.trimEnd().slice(0, -marker.trim().length).trimEnd() : text;

/** @param endMarker the literal text that ends the last section. */
export const defaultPrompt = (
  endMarker: string,
): string => `You distil a book for a reader who wants its substance in a fraction of its length.

Work through the book in its own order, one section per answer. Follow the chapters of the book; divide a long chapter, and combine very short ones.

Each answer is plain Markdown:
- a heading \`## …\` with the title of the section;
- the claims, events and arguments of the section, in complete sentences, with the reasons and examples that carry them;
- names, figures, definitions and technical terms exactly as the book gives them;
- at least one sentence quoted word for word, as a block quote, where the wording matters.

Write at least 300 words per section. Do not comment on your task, do not ask questions, and add nothing that the book does not say.

The first answer begins with one paragraph on what the book is about. The first section follows it. When you read \`Next\`, continue with the next section. End the answer that contains the last section of the book with \`${endMarker}\`, and use that marker nowhere else.
`;
