// The format of old versions: one JSON document, written anew each time.

import type { SessionFile } from '../../sessions/store.ts';
import type { Source } from './conversation.ts';
import { held } from './fold.ts';
import { asObject, isMessage, objectsOf } from './record.ts';
import { tokensOf } from './turns.ts';

/** null: this text is no such document. */
export function openDocument(session: SessionFile, text: string): Source | null {
  const document = parse(text);
  if (typeof document?.sessionId !== 'string' || !Array.isArray(document.messages)) return null;
  const list: unknown[] = document.messages;
  const messages = objectsOf(list).filter(isMessage);
  const entries = messages.map(held);
  const replaced = (messages: readonly unknown[]) =>
    ({ how: 'replace', text: JSON.stringify({ ...document, messages }, null, 2) }) as const;
  return {
    session,
    use: (read) => read(entries),
    rewrite: (mended) => replaced(list.map((old) => (isMessage(old) && mended.find(({ id }) => id === old.id)) || old)),
    cutFrom: (message) => replaced(list.slice(0, list.indexOf(message))),
    totalTokens: () => {
      const tokens = messages.flatMap((message) => tokensOf(message) ?? []);
      return tokens.length === 0 ? null : tokens.reduce((sum, { input, output }) => sum + input + output, 0);
    },
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}
