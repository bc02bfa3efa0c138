// What the first bytes of a session file tell: whose it is, of which kind, and how it began.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../../state/disk/regular-file.ts';
import { asObject, type GeminiPart, isMessage, isPrompt, objectsOf, parseRecord, saidIn } from './record.ts';

interface Beginning {
  id: string;
  /** null where the file does not say, as all of today. */
  cliVersion: string | null;
  /** Of a sub agent, not of a conversation that can be resumed. */
  subagent: boolean;
  /** Of one so long that it is not within these bytes, its beginning. */
  firstPrompt: string | null;
  /** Nothing was asked in it: a start of the CLI that went on in another file. */
  empty: boolean;
}

const BEGINNING_BYTES = 256 * 1024;

/** null: it cannot be read, or is no session of gemini. */
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

/** Its line ends beyond what was read. */
function cutOffPrompt(line: string): { content: unknown } | null {
  const said = /"type":\s*"user",\s*"content":\s*(?:\[\s*\{\s*"text":\s*)?("(?:[^"\\]|\\.)*)/s.exec(line)?.[1];
  const text = said === undefined ? null : parseRecord(`{"text":${said.replace(/\\u?[\da-f]{0,3}$/, '')}"}`)?.text;
  const message = { id: '', type: 'user', content: text };
  return typeof text === 'string' && isPrompt(message) ? message : null;
}

/** Pretty printed; where it is cut off in its middle, its first fields must do. */
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
