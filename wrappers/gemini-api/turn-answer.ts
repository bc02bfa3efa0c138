// The pieces of a streamed answer → one answer, whose parts go back as they came.

import type { TurnAnswer, TurnUsage } from '../../policies/distill/service.ts';
import { listOf, numberOf, partOf, textOf } from '../../policies/text/json.ts';

/** @returns null for a stream that ended before the answer did: no piece of it says why it would have. */
export function answerOf(pieces: readonly unknown[]): TurnAnswer | null {
  const chunks = pieces.map(partOf);
  const candidates = chunks.map((chunk) => partOf(listOf(chunk?.candidates)[0]));
  const parts = candidates.flatMap((candidate) => listOf(partOf(candidate?.content)?.parts)).reduce(join, []);
  const finishReason = lastOf(candidates.map((candidate) => textOf(candidate?.finishReason)));
  const blockReason = lastOf(chunks.map((chunk) => textOf(partOf(chunk?.promptFeedback)?.blockReason)));
  if (finishReason === null && blockReason === null) return null;
  return {
    content: parts.length === 0 ? null : { role: 'model', parts },
    text: parts.map(readable).join(''),
    finishReason,
    blockReason,
    usage: usageOf(lastOf(chunks.map((chunk) => partOf(chunk?.usageMetadata)))),
    modelVersion: lastOf(chunks.map((chunk) => textOf(chunk?.modelVersion))),
  };
}

/** Neighbours that are text and nothing else are one text, as the model wrote it; whatever carries more, such as a signature, stays as it is. */
function join(joined: unknown[], part: unknown): unknown[] {
  const [before, next] = [plain(joined.at(-1)), plain(part)];
  if (before === null || next === null || before.thought !== next.thought) joined.push(part);
  else joined[joined.length - 1] = { ...before, text: `${before.text}${next.text}` };
  return joined;
}

function plain(part: unknown): { text: string; thought?: unknown } | null {
  const found = partOf(part);
  const text = textOf(found?.text);
  if (found === null || text === null) return null;
  return Object.keys(found).every((key) => key === 'text' || key === 'thought') ? { ...found, text } : null;
}

function readable(part: unknown): string {
  const found = partOf(part);
  return found?.thought === true ? '' : (textOf(found?.text) ?? '');
}

function usageOf(counted: Record<string, unknown> | null): TurnUsage | null {
  const of = (name: string) => numberOf(counted?.[name]) ?? 0;
  if (numberOf(counted?.promptTokenCount) === null) return null;
  return {
    input: of('promptTokenCount'),
    output: of('candidatesTokenCount'),
    thoughts: of('thoughtsTokenCount'),
    cached: of('cachedContentTokenCount'),
  };
}

const lastOf = <T>(values: readonly (T | null)[]): T | null => values.findLast((value) => value !== null) ?? null;
