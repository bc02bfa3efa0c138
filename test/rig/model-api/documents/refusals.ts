// Finds what the real service would refuse of a turn: an unknown file, a history with gaps, a lost signature.

import { FAULTS, type Fault } from './faults.ts';
import type { Files } from './files.ts';

export interface TurnBody {
  contents?: { role?: string; parts?: Part[] }[];
  tools?: unknown;
  systemInstruction?: { parts?: { text?: string }[] };
  generationConfig?: { temperature?: number };
}

export interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  fileData?: { fileUri?: string };
  file_data?: { file_uri?: string };
}

const invalid = (message: string): Fault => ({
  how: 'status',
  status: 400,
  body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } },
});

/** @param said the text and signature of each given answer. */
export function refusedTurn(body: TurnBody, files: Files, said: ReadonlySet<string>): Fault | null {
  const contents = body.contents ?? [];
  if (contents.length === 0) return invalid('contents is not specified');
  if (!Array.isArray(body.tools) || body.tools.length > 0) return invalid('tools: [] is missing');
  if (contents.some(({ role }, i) => role !== (i % 2 === 0 ? 'user' : 'model')))
    return invalid('Please ensure that multiturn requests alternate between user and model.');
  if (contents.length % 2 === 0) return invalid('Please ensure that multiturn requests end with a user role.');
  if (contents.some(({ parts = [] }) => parts.length === 0)) return invalid('contents.parts must not be empty.');
  if (contents.some(({ role, parts }) => role === 'model' && !said.has(wordsOf(parts!))))
    return invalid('Corrupted thought signature.');
  const uris = contents.flatMap(({ parts = [] }) => parts.flatMap((part) => uriOf(part) ?? []));
  if (uris.length !== 1 || uriIn(contents[0]!.parts!) === null)
    return invalid('the first turn, and it alone, names the file');
  const file = files.alive(`files/${uris[0]!.split('/files/')[1]}`);
  if (file === null) return FAULTS['file-403'];
  return files.isActive(file) ? null : FAULTS['file-400'];
}

/** The text and signature of an answer, independent of its division into parts. */
export const wordsOf = (parts: readonly Part[]): string =>
  JSON.stringify([
    parts.map(({ text = '', thought = false }) => (thought ? '' : text)).join(''),
    parts.flatMap(({ thoughtSignature = [] }) => thoughtSignature),
  ]);

const uriOf = (part: Part): string | null => part.fileData?.fileUri ?? part.file_data?.file_uri ?? null;

export const uriIn = (parts: readonly Part[]): string | null => parts.map(uriOf).find((uri) => uri !== null) ?? null;
