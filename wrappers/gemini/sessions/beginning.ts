// Reads the first bytes of a session file: whose it is, of which kind, and how it began.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../../state/disk/regular-file.ts';
import { asObject, type GeminiPart, isMessage, isPrompt, objectsOf, parseRecord, saidIn } from './record.ts';

interface Beginning {
  id: string;
  /** null if the file does not contain it, as in all current versions. */
  cliVersion: string | null;
  /** Belongs to a subagent, not to a conversation that can be resumed. */
  subagent: boolean;
  /** If the prompt is too long for these bytes, its beginning. */
  firstPrompt: string | null;
  /** Contains no prompt: a start of the CLI that continued in another file. */
  empty: boolean;
}

const BEGINNING_BYTES = 256 * 1024;

/** @returns null if it cannot be read, or is not a session of gemini. */
export function readBeginning(file: string): Beginning | null {
  const read = firstBytes(file);
  if (read === null) return null;
  const { text, whole } = read;
  const lines = text.split('\n');
  const [first, ...records] = objectsOf(lines.map(parseRecord));
  const begun = typeof first?.sessionId === 'string' ? first : beginningOfDocument(text);
  if (typeof begun?.sessionId !== 'string') return null;
  const messages = [...objectsOf(begun.messages), ...records.flatMap(messagesIn)].filter(isMessage);
  const prompt = messages.find(isPrompt) ?? (whole ? null : cutOffPrompt(lines.at(-1)!));
  return {
    id: begun.sessionId,
    cliVersion: typeof begun.cliVersion === 'string' ? begun.cliVersion : null,
    subagent: begun.kind === 'subagent',
    firstPrompt: prompt ? saidIn(prompt.content) : null,
    empty: whole && prompt === null && !messages.some(({ type }) => type === 'gemini'),
  };
}

const messagesIn = (record: GeminiPart): GeminiPart[] => [record, ...objectsOf(asObject(record.$set)?.messages)];

/** Reads a prompt whose line ends beyond the bytes that were read. */
function cutOffPrompt(line: string): { content: unknown } | null {
  const said = /"type":\s*"user",\s*"content":\s*(?:\[\s*\{\s*"text":\s*)?("(?:[^"\\]|\\.)*)/s.exec(line)?.[1];
  const text = said === undefined ? null : parseRecord(`{"text":${said.replace(/\\u?[\da-f]{0,3}$/, '')}"}`)?.text;
  const message = { id: '', type: 'user', content: text };
  return typeof text === 'string' && isPrompt(message) ? message : null;
}

/** The document is pretty printed. If it is cut off in the middle, its first fields must suffice. */
function beginningOfDocument(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    const sessionId = /^\s*\{\s*"sessionId":\s*"([\w.-]+)"/.exec(text)?.[1];
    if (sessionId === undefined) return null;
    const prompt = cutOffPrompt(text);
    return { sessionId, messages: prompt === null ? [] : [prompt] };
  }
}

function firstBytes(file: string): { text: string; whole: boolean } | null {
  try {
    const fd = openRegular(file);
    try {
      const bytes = Buffer.allocUnsafe(BEGINNING_BYTES);
      const length = readSync(fd, bytes, 0, BEGINNING_BYTES, 0);
      return { text: bytes.toString('utf8', 0, length), whole: length === fstatSync(fd).size };
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
