// Finds where the calls and responses that a resume sends do not match, and writes records so that they match again.

import type { Flaw } from '../../../policies/session/conversation.ts';
import {
  asObject,
  type GeminiMessage,
  type GeminiPart,
  isIgnored,
  isPrompt,
  objectsOf,
  partsOf,
  textOf,
} from './record.ts';

/** A flaw, and the message in which it is repaired. */
interface LocatedRecord {
  flaw: Flaw;
  message: GeminiMessage;
  /** The index of the message's surplus response, from 0; null if one is missing. */
  at: number | null;
}

interface Call {
  turn: number;
  id: string;
  name: string;
  message: GeminiMessage;
  responses: number;
}

/** Follows the CLI: calls of consecutive model messages belong together, and so do the responses up to the next one. */
export function findFlaws(messages: readonly GeminiMessage[]): LocatedRecord[] {
  const found: LocatedRecord[] = [];
  let calls: Call[] = [];
  let answering = false;
  let turn = 0;

  const close = () => {
    for (const { turn, id, name, message, responses } of calls)
      if (responses === 0) found.push({ flaw: { how: 'unanswered_call', turn, id, name }, message, at: null });
    calls = [];
    answering = false;
  };
  const take = (message: GeminiMessage, part: GeminiPart, at: number) => {
    const response = asObject(part.functionResponse);
    if (response === null) return;
    const id = textOf(response.id);
    const name = typeof response.name === 'string' ? response.name : null;
    const mine = calls.filter((call) => (id === '' || call.id === '' ? call.name === name : call.id === id));
    const open = mine.find(({ responses }) => responses === 0);
    if (open) open.responses += 1;
    else if (mine[0])
      found.push({ flaw: { how: 'doubled_response', turn, id, name: name ?? mine[0].name }, message, at });
    else found.push({ flaw: { how: 'stray_response', turn, id, name }, message, at });
  };

  for (const message of messages) {
    if (message.type === 'gemini') {
      const { sent, results } = modelSide(message);
      if (!sent) continue;
      if (answering) close();
      calls.push(...callsIn(message).map((call) => ({ ...call, turn, message, responses: 0 })));
      if (results.length > 0) answering = true;
      for (const [at, part] of results.entries()) take(message, part, at);
    } else if (message.type === 'user') {
      if (isIgnored(message)) continue;
      if (isPrompt(message)) turn += 1;
      answering = true;
      for (const [at, part] of partsOf(message.content).entries()) take(message, part, at);
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
function resultsOf({ id, name, result }: GeminiPart): GeminiPart[] {
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

/** For the model, instead of a result that was lost. */
const INTERRUPTED = 'The tool was interrupted before it ended; no result is known.';

/** New versions of the messages that hold these flaws. */
export function repairedMessages(located: readonly LocatedRecord[], flaws: readonly Flaw[]): GeminiMessage[] {
  const wanted = new Set(flaws.map(nameOf));
  const flawsOf = new Map<GeminiMessage, LocatedRecord[]>();
  for (const one of located) {
    if (!wanted.has(nameOf(one.flaw))) continue;
    const mine = flawsOf.get(one.message);
    if (mine) mine.push(one);
    else flawsOf.set(one.message, [one]);
  }
  return [...flawsOf].map(([message, mine]) => {
    const surplus = new Set(mine.flatMap(({ at }) => at ?? []));
    if (message.type !== 'gemini') return withoutResponses(message, surplus);
    const unanswered = mine.flatMap(({ flaw }) => (flaw.how === 'unanswered_call' ? [flaw] : []));
    return withAnswers(withoutResults(message, surplus), unanswered);
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
