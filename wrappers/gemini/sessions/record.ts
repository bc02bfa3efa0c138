// Reads one record of a gemini session file, and its parts as the CLI reads them.

import { partOf as asObject } from '../../../policies/text/json.ts';
import { tried } from '../../../policies/text/tried.ts';

export interface GeminiMessage {
  id: string;
  type?: unknown;
  timestamp?: unknown;
  content?: unknown;
  thoughts?: unknown;
  tokens?: unknown;
  toolCalls?: unknown;
  [other: string]: unknown;
}

export type GeminiPart = Record<string, unknown>;

/** The CLI skips an unterminated string or a torn line; U+2028 and U+2029 end its lines, which loses the record. */
export const parseRecord = (line: string): Record<string, unknown> | null =>
  /[\u2028\u2029]/.test(line) ? null : tried(() => asObject(JSON.parse(line)));

export { asObject };

export const isMessage = (value: unknown): value is GeminiMessage => typeof asObject(value)?.id === 'string';

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The content of a message as parts, from any of its three forms. */
export function partsOf(content: unknown): GeminiPart[] {
  const list = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
  return list.map((part) => (typeof part === 'string' ? { text: part } : (asObject(part) ?? {})));
}

export const objectsOf = (list: unknown): GeminiPart[] =>
  Array.isArray(list) ? list.filter((item): item is GeminiPart => asObject(item) !== null) : [];

export const saidIn = (content: unknown): string =>
  partsOf(content)
    .map(({ text }) => textOf(text))
    .join('');

/** Not sent in any form: commands to the CLI, and what it writes about its environment. */
export function isIgnored({ content }: GeminiMessage): boolean {
  const parts = partsOf(content);
  if (parts.some((part) => 'functionResponse' in part || 'inlineData' in part || 'fileData' in part)) return false;
  const text = saidIn(content).trim();
  return text === '' || IGNORED_BEGINNINGS.some((beginning) => text.startsWith(beginning));
}

const IGNORED_BEGINNINGS = ['/', '?', '<session_context>', '<hook_context>'];

/** What a user or a caller wrote, not a tool's response. */
export const isPrompt = (message: GeminiMessage): boolean =>
  message.type === 'user' &&
  !isIgnored(message) &&
  !partsOf(message.content).some((part) => 'functionResponse' in part);
