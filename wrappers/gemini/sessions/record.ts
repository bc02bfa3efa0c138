// One record of a gemini session file, and what the CLI makes of its parts when it reads the file again.

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

/** An unterminated string, a torn line: the CLI skips it. It also takes U+2028 and U+2029 for line ends, so such a record is lost to it. */
export function parseRecord(line: string): Record<string, unknown> | null {
  if (/[\u2028\u2029]/.test(line)) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

export const asObject = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

export const isMessage = (value: unknown): value is GeminiMessage => typeof asObject(value)?.id === 'string';

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The content of a message as parts, whichever of its three ways it is written in. */
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

/** Sent neither as a prompt nor as anything else: orders to the CLI, and what it writes about its surroundings. */
export function isIgnored({ content }: GeminiMessage): boolean {
  const parts = partsOf(content);
  if (parts.some((part) => 'functionResponse' in part || 'inlineData' in part || 'fileData' in part)) return false;
  const text = saidIn(content).trim();
  return text === '' || IGNORED_BEGINNINGS.some((beginning) => text.startsWith(beginning));
}

const IGNORED_BEGINNINGS = ['/', '?', '<session_context>', '<hook_context>'];

/** What a person or a caller asked, and no tool's answer. */
export const isPrompt = (message: GeminiMessage): boolean =>
  message.type === 'user' &&
  !isIgnored(message) &&
  !partsOf(message.content).some((part) => 'functionResponse' in part);
