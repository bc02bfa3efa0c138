// Reads the turns of a gemini conversation: a prompt, and all that follows it up to the next one.

import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import type { GeminiEntry } from './fold.ts';
import { asObject, type GeminiMessage, type GeminiPart, objectsOf, partsOf, saidIn, textOf } from './record.ts';

/** The index of each turn's prompt among the entries. */
export const promptsIn = (entries: readonly GeminiEntry[]): number[] =>
  entries.flatMap(({ prompt }, at) => (prompt ? [at] : []));

export function readTurn(entries: readonly GeminiEntry[], number: number, from: number, to: number): Turn {
  const [prompt, ...rest] = entries.slice(from, to).map((entry) => entry.read());
  const items = rest.flatMap(itemsOf);
  return {
    number,
    at: timeOf(prompt!),
    prompt: saidIn(prompt!.content),
    items: withoutRepeats(items),
    tokens: rest.reduce<ContextTokens | null>((last, message) => tokensOf(message) ?? last, null),
  };
}

const timeOf = ({ timestamp }: GeminiMessage): string | null =>
  typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp)) ? timestamp : null;

/** `input` is the whole prompt of that request, including the cached part. */
export function tokensOf({ type, tokens }: GeminiMessage): ContextTokens | null {
  const counted = asObject(tokens);
  if (type !== 'gemini' || counted === null) return null;
  const { input, output } = counted;
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : null;
}

function itemsOf(message: GeminiMessage): Item[] {
  if (message.type === 'gemini') return modelItems(message);
  if (message.type === 'user') return partsOf(message.content).flatMap(responseIn);
  const text = saidIn(message.content).trim();
  return text === '' || !NOTES.has(message.type) ? [] : [{ how: 'noted', text }];
}

const NOTES = new Set<unknown>(['info', 'error', 'warning']);

function modelItems({ content, thoughts, toolCalls }: GeminiMessage): Item[] {
  const parts = partsOf(content);
  const calls = objectsOf(toolCalls);
  const called = calls.length > 0 ? calls : objectsOf(parts.map(({ functionCall }) => functionCall));
  return [
    ...objectsOf(thoughts).map(({ subject, description }): Item => {
      return { how: 'thought', text: [subject, description].map(textOf).filter(Boolean).join(': ') };
    }),
    ...parts.flatMap(({ text, thought }): Item[] => {
      return textOf(text).trim() === '' ? [] : [{ how: thought ? 'thought' : 'said', text: textOf(text) }];
    }),
    ...called.map(({ id, name, args }): Item => {
      return { how: 'called', id: textOf(id), name: textOf(name), input: JSON.stringify(args ?? {}) };
    }),
    ...calls.flatMap(({ id, name, result }) =>
      typeof result === 'string' && result !== ''
        ? [responded({ id, name, response: { output: result } })]
        : partsOf(result).flatMap(responseIn),
    ),
  ];
}

const responseIn = ({ functionResponse }: GeminiPart): Item[] => {
  const response = asObject(functionResponse);
  return response === null ? [] : [responded(response)];
};

function responded({ id, name, response }: GeminiPart): Item {
  const said = asObject(response) ?? {};
  const failed = said.error !== undefined;
  const output = failed ? said.error : (said.output ?? response ?? '');
  return {
    how: 'responded',
    id: textOf(id),
    name: typeof name === 'string' ? name : null,
    output: typeof output === 'string' ? output : JSON.stringify(output),
    failed,
  };
}

/** A response is written with its call and again as a separate record; a reader sees it once. */
function withoutRepeats(items: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    if (item.how !== 'responded' || item.id === '') return true;
    if (seen.has(item.id)) return false;
    seen.add(item.id);
    return true;
  });
}
