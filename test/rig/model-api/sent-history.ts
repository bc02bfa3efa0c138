// Reads the history of a request into one form for all dialects, and checks whether the real services would accept it.

import type { Body } from './dialect.ts';
import type { DialectName } from './dialects.ts';

export interface Sent {
  by: 'user' | 'model' | 'system';
  text: string;
  /** The ids of tool calls, and of the answered calls; for gemini the tools' names. */
  calls: string[];
  responses: string[];
}

type Part = { text?: string; functionCall?: Named; functionResponse?: Named };
type Named = { name?: string; id?: string };
type Message = { role?: string; content?: unknown; tool_calls?: { id: string }[]; tool_call_id?: string };
type Block = { type?: string; text?: string; id?: string; tool_use_id?: string };
type Input = Message & { type?: string; call_id?: string };

/** Merges consecutive entries of one speaker, as the services do. */
export function sentHistory(dialect: DialectName, body: Body): Sent[] {
  const merged: Sent[] = [];
  for (const entry of READERS[dialect](body)) {
    const last = merged.at(-1);
    if (last?.by !== entry.by) merged.push(entry);
    else {
      last.text = [last.text, entry.text].filter(Boolean).join('\n');
      last.calls.push(...entry.calls);
      last.responses.push(...entry.responses);
    }
  }
  return merged;
}

/** The next entry answers each call of a model's entry exactly once, and answers nothing else. */
export function isPaired(history: readonly Sent[]): boolean {
  return history.every((entry, i) => {
    const asked = entry.by === 'model' ? entry.calls : (history[i - 1]?.calls ?? []);
    const answered = entry.by === 'model' ? (history[i + 1]?.responses ?? []) : entry.responses;
    return [...asked].sort().join('\n') === [...answered].sort().join('\n');
  });
}

const READERS: Record<DialectName, (body: Body) => Sent[]> = {
  gemini: ({ contents }) =>
    list<{ role?: string; parts?: Part[] }>(contents).map(({ role, parts = [] }) => ({
      by: role === 'model' ? 'model' : 'user',
      text: parts.map(({ text = '' }) => text).join(''),
      calls: parts.flatMap(({ functionCall }) => (functionCall ? [nameOf(functionCall)] : [])),
      responses: parts.flatMap(({ functionResponse }) => (functionResponse ? [nameOf(functionResponse)] : [])),
    })),
  chat: ({ messages }) =>
    list<Message>(messages).map(({ role, content, tool_calls = [], tool_call_id }) => ({
      by: speaker(role),
      text: tool_call_id === undefined ? textOf(content) : '',
      calls: tool_calls.map(({ id }) => id),
      responses: tool_call_id === undefined ? [] : [tool_call_id],
    })),
  responses: ({ input }) =>
    list<Input>(input).map(({ type = 'message', role, content, call_id = '' }) => ({
      by: type === 'message' ? speaker(role) : type.endsWith('_output') ? 'user' : 'model',
      text: textOf(content),
      calls: type.endsWith('_call') ? [call_id] : [],
      responses: type.endsWith('_output') ? [call_id] : [],
    })),
  anthropic: ({ messages }) =>
    list<Message>(messages).map(({ role, content }) => ({
      by: speaker(role),
      text: textOf(content),
      calls: list<Block>(content).flatMap(({ type, id = '' }) => (type === 'tool_use' ? [id] : [])),
      responses: list<Block>(content).flatMap(({ tool_use_id = '' }) => tool_use_id || []),
    })),
};

const speaker = (role = 'user'): Sent['by'] =>
  role === 'assistant' ? 'model' : role === 'system' || role === 'developer' ? 'system' : 'user';

/** The service counts the parts; gemini 0.40 sends the id of a result but not of its call. */
const nameOf = ({ name = '', id = '' }: Named): string => name || id;

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? value : []);

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list<Block>(content)
        .map(({ text = '' }) => text)
        .join('');
