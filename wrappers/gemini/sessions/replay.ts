// Finds where the calls and the responses that a resume sends do not match.

import type { Flaw } from '../../../policies/session/conversation.ts';
import type { GeminiEntry } from './fold.ts';
import { asObject, type GeminiMessage, type GeminiPart, isIgnored, objectsOf, partsOf, textOf } from './record.ts';

/** A flaw, and the entry in which it is repaired. */
export interface LocatedRecord {
  flaw: Flaw;
  entry: GeminiEntry;
  /** The index of the entry's surplus response, from 0; null if one is missing. */
  at: number | null;
}

interface Call {
  turn: number;
  id: string;
  name: string;
  entry: GeminiEntry;
  responses: number;
}

/** Follows the CLI: calls of consecutive model messages belong together, and so do the responses up to the next one. */
export function findFlaws(entries: readonly GeminiEntry[]): LocatedRecord[] {
  const found: LocatedRecord[] = [];
  let calls: Call[] = [];
  let answering = false;
  let turn = 0;

  const close = () => {
    for (const { turn, id, name, entry, responses } of calls)
      if (responses === 0) found.push({ flaw: { how: 'unanswered_call', turn, id, name }, entry, at: null });
    calls = [];
    answering = false;
  };
  const take = (entry: GeminiEntry, part: GeminiPart, at: number) => {
    const response = asObject(part.functionResponse);
    if (response === null) return;
    const id = textOf(response.id);
    const name = typeof response.name === 'string' ? response.name : null;
    const mine = calls.filter((call) => (id === '' || call.id === '' ? call.name === name : call.id === id));
    const open = mine.find(({ responses }) => responses === 0);
    if (open) open.responses += 1;
    else if (mine[0])
      found.push({ flaw: { how: 'doubled_response', turn, id, name: name ?? mine[0].name }, entry, at });
    else found.push({ flaw: { how: 'stray_response', turn, id, name }, entry, at });
  };

  for (const entry of entries) {
    if (entry.type === 'gemini') {
      const message = entry.read();
      const { sent, results } = modelSide(message);
      if (!sent) continue;
      if (answering) close();
      calls.push(...callsIn(message).map((call) => ({ ...call, turn, entry, responses: 0 })));
      if (results.length > 0) answering = true;
      for (const [at, part] of results.entries()) take(entry, part, at);
    } else if (entry.type === 'user') {
      const message = entry.read();
      if (isIgnored(message)) continue;
      if (entry.prompt) turn += 1;
      answering = true;
      for (const [at, part] of partsOf(message.content).entries()) take(entry, part, at);
    }
  }
  close();
  return found;
}

function modelSide(message: GeminiMessage): { sent: boolean; results: GeminiPart[] } {
  const sent =
    partsOf(message.content || undefined).length > 0 ||
    objectsOf(message.toolCalls).length > 0 ||
    objectsOf(message.thoughts).length > 0;
  return { sent, results: objectsOf(message.toolCalls).flatMap(resultsOf) };
}

/** A result is a list of parts, one part, or plain text. */
export function resultsOf({ id, name, result }: GeminiPart): GeminiPart[] {
  if (typeof result === 'string')
    return result === '' ? [] : [{ functionResponse: { id, name, response: { output: result } } }];
  return partsOf(result);
}

/** If the content itself holds calls or thoughts, the CLI takes the calls only from there. */
function callsIn(message: GeminiMessage): { id: string; name: string }[] {
  const parts = partsOf(message.content || undefined);
  const written = parts.some(({ functionCall, thought }) => functionCall || thought);
  const calls = written ? objectsOf(parts.map(({ functionCall }) => functionCall)) : objectsOf(message.toolCalls);
  return calls.map(({ id, name }) => ({ id: textOf(id), name: textOf(name) }));
}
