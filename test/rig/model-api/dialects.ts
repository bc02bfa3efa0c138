// Finds the dialect of a request of the model API by its path.

import { ANTHROPIC } from './anthropic.ts';
import { CHAT } from './chat.ts';
import type { Dialect } from './dialect.ts';
import { GEMINI } from './gemini.ts';
import { RESPONSES } from './responses.ts';

const DIALECTS = { gemini: GEMINI, responses: RESPONSES, chat: CHAT, anthropic: ANTHROPIC } satisfies Record<
  string,
  Dialect
>;

export type DialectName = keyof typeof DIALECTS;

export function findDialect(path: string): { name: DialectName; dialect: Dialect } | null {
  for (const [name, dialect] of Object.entries(DIALECTS)) {
    if (dialect.path.test(path)) return { name: name as DialectName, dialect };
  }
  return null;
}
