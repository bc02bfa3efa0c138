// Writes records so that calls and responses match again: each is rewritten under its id, and every text is kept.

import type { Flaw } from '../../../policies/session/conversation.ts';
import type { GeminiEntry } from './fold.ts';
import { type GeminiMessage, type GeminiPart, objectsOf, partsOf, textOf } from './record.ts';
import { type LocatedRecord, resultsOf } from './replay.ts';

/** For the model, instead of a result that was lost. */
const INTERRUPTED = 'The tool was interrupted before it ended; no result is known.';

/** New versions of the messages that hold these flaws. */
export function repairedMessages(located: readonly LocatedRecord[], flaws: readonly Flaw[]): GeminiMessage[] {
  const wanted = new Set(flaws.map(nameOf));
  const flawsOf = new Map<GeminiEntry, LocatedRecord[]>();
  for (const one of located) {
    if (!wanted.has(nameOf(one.flaw))) continue;
    const mine = flawsOf.get(one.entry);
    if (mine) mine.push(one);
    else flawsOf.set(one.entry, [one]);
  }
  return [...flawsOf].map(([entry, mine]) => {
    const surplus = new Set(mine.flatMap(({ at }) => at ?? []));
    if (entry.type !== 'gemini') return withoutResponses(entry.read(), surplus);
    const unanswered = mine.flatMap(({ flaw }) => (flaw.how === 'unanswered_call' ? [flaw] : []));
    return withAnswers(withoutResults(entry.read(), surplus), unanswered);
  });
}

const nameOf = ({ how, turn, id }: Flaw): string => JSON.stringify([how, turn, id]);

/** A message that holds nothing else becomes a note without text: it keeps its place and is never sent. */
function withoutResponses(message: GeminiMessage, surplus: ReadonlySet<number>): GeminiMessage {
  const kept = partsOf(message.content).filter((_, at) => !surplus.has(at));
  const { id, timestamp } = message;
  return kept.length === 0 ? { id, timestamp, type: 'info', content: '' } : { ...message, content: kept };
}

function withoutResults(message: GeminiMessage, surplus: ReadonlySet<number>): GeminiMessage {
  if (surplus.size === 0) return message;
  let at = 0;
  const toolCalls = objectsOf(message.toolCalls).map((call) => {
    const results = resultsOf(call);
    const kept = results.filter(() => !surplus.has(at++));
    return kept.length === results.length ? call : { ...call, result: kept };
  });
  return { ...message, toolCalls };
}

function withAnswers(message: GeminiMessage, unanswered: readonly { id: string; name: string }[]): GeminiMessage {
  if (unanswered.length === 0) return message;
  const calls: GeminiPart[] = objectsOf(message.toolCalls);
  for (const { id, name } of unanswered) {
    const at = calls.findIndex((call) => textOf(call.id) === id && resultsOf(call).length === 0);
    const call = calls[at] ?? { id, name, args: argumentsOf(message, id) };
    const response = { functionResponse: { id, name, response: { error: INTERRUPTED } } };
    calls.splice(at === -1 ? calls.length : at, at === -1 ? 0 : 1, { ...call, result: [response], status: 'error' });
  }
  return { ...message, toolCalls: calls };
}

/** Reads the arguments of a call that is only in the content. */
function argumentsOf({ content }: GeminiMessage, id: string): unknown {
  const calls = objectsOf(partsOf(content).map(({ functionCall }) => functionCall));
  return calls.find((call) => textOf(call.id) === id)?.args ?? {};
}
