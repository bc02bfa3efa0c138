// What the first bytes of a session file tell: whose it is, of which kind, and how it began.

import { closeSync, readSync } from 'node:fs';
import { openRegular } from '../../regular-file.ts';
import { asObject, isMessage, isPrompt, objectsOf, type Part, parseRecord, saidIn } from './record.ts';

export interface Beginning {
  id: string;
  cliVersion: string | null;
  /** Of a sub agent, not of a conversation that can be resumed. */
  subagent: boolean;
  firstPrompt: string | null;
}

const BEGINNING_BYTES = 256 * 1024;

/** null: it cannot be read, or is no session of gemini. */
export function readBeginning(file: string): Beginning | null {
  const text = firstBytes(file);
  if (text === null) return null;
  const [first, ...records] = objectsOf(text.split('\n').map(parseRecord));
  const begun = typeof first?.sessionId === 'string' ? first : beginningOfDocument(text);
  if (typeof begun?.sessionId !== 'string') return null;
  const messages = [...objectsOf(begun.messages), ...records.flatMap(messagesIn)].filter(isMessage);
  const prompt = messages.find(isPrompt);
  return {
    id: begun.sessionId,
    cliVersion: typeof begun.cliVersion === 'string' ? begun.cliVersion : null,
    subagent: begun.kind === 'subagent',
    firstPrompt: prompt ? saidIn(prompt.content) : null,
  };
}

const messagesIn = (record: Part): Part[] => [record, ...objectsOf(asObject(record.$set)?.messages)];

/** It may be cut off in its middle: then its first fields must do. */
function beginningOfDocument(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    const sessionId = /^\s*\{\s*"sessionId":\s*"([\w.-]+)"/.exec(text)?.[1];
    if (sessionId === undefined) return null;
    const prompt = /\{[^{}]*"type":\s*"user",\s*"content":\s*(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/s.exec(text)?.[0];
    const message = prompt === undefined ? null : parseRecord(`${prompt}}`.replace(/\s*\n\s*/g, ' '));
    return { sessionId, messages: message === null ? [] : [message] };
  }
}

function firstBytes(file: string): string | null {
  try {
    const fd = openRegular(file);
    try {
      const bytes = Buffer.allocUnsafe(BEGINNING_BYTES);
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, BEGINNING_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
