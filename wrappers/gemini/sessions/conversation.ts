// Presents a gemini session as one conversation, in either of its two file formats.

import { compareVersions, TESTED_VERSIONS } from '../../../policies/manifest/tested-versions.ts';
import type { ContextTokens, Flaw, Item, Turn } from '../../../policies/session/conversation.ts';
import type { Conversation, Edit, SessionFile } from '../../sessions/store.ts';
import { findFlaws, repairedMessages } from './flaws.ts';
import {
  asObject,
  type GeminiMessage,
  type GeminiPart,
  isPrompt,
  objectsOf,
  partsOf,
  saidIn,
  textOf,
} from './record.ts';

/** What differs between the formats. */
export interface Source {
  session: SessionFile;
  /** The current ones. */
  messages: readonly GeminiMessage[];
  /** Each message replaces the one with its id. */
  rewrite(messages: readonly GeminiMessage[]): Edit;
  /** Removes this message and all that follow it. */
  cutFrom(message: GeminiMessage): Edit;
  totalTokens: number | null;
}

export function converse({ session, messages, rewrite, cutFrom, totalTokens }: Source): Conversation {
  const rewound = (rewind: Rewind): Edit => (rewind.how === 'from' ? cutFrom(messages[rewind.at]!) : rewind);
  return {
    session,
    turns: promptsIn(messages).length,
    read: (from, to) => readTurns(messages, from, to),
    contextTokens: () => lastTokens(messages),
    totalTokens: () => totalTokens,
    countedSoFar: () => null,
    flaws: (cliVersion) => judgeFlaws(messages, cliVersion),
    repair: (flaws) => {
      const repaired = repairedMessages(findFlaws(messages), flaws);
      return repaired.length === 0 ? { how: 'none' } : rewrite(repaired);
    },
    before: (turn) => rewound(rewindBefore(messages, turn)),
    afterPrompt: (turn) => rewound(rewindAfterPrompt(messages, turn)),
    withoutLastStep: () => rewound(rewindLastStep(messages)),
  };
}

function readTurns(messages: readonly GeminiMessage[], from: number, to: number): Turn[] {
  const prompts = promptsIn(messages);
  return prompts.flatMap((start, i) =>
    i + 1 < from || i + 1 > to ? [] : [readTurn(messages, i + 1, start, prompts[i + 1] ?? messages.length)],
  );
}

const lastTokens = (messages: readonly GeminiMessage[]): ContextTokens | null =>
  messages.reduce<ContextTokens | null>((last, message) => tokensOf(message) ?? last, null);

/** A call without a response is wrong for every version, a second response only for those that send it. */
function judgeFlaws(messages: readonly GeminiMessage[], cliVersion: string | null): Flaw[] | null {
  const flaws = findFlaws(messages).map(({ flaw }) => flaw);
  const doubles = doublesResponses(cliVersion);
  if (doubles === null && flaws.some(({ how }) => how === 'doubled_response')) return null;
  return doubles ? flaws : flaws.filter(({ how }) => how !== 'doubled_response');
}

/** Found in the requests that these versions sent; nothing is known of those in between and beyond. */
const REPLAYING_VERSIONS = [
  // They write no separate record for a response.
  { from: '0.20.2', upTo: '0.40.0', doubles: false },
  // They replay the response that is stored with its call, and then its separate record too.
  { from: '0.45.2', below: TESTED_VERSIONS.gemini.below, doubles: true },
] as const;

/** @returns null if nothing is known of this version. */
function doublesResponses(version: string | null): boolean | null {
  if (version === null) return null;
  const row = REPLAYING_VERSIONS.find((row) => {
    if (compareVersions(version, row.from) < 0) return false;
    return 'upTo' in row ? compareVersions(version, row.upTo) <= 0 : compareVersions(version, row.below) < 0;
  });
  return row?.doubles ?? null;
}

/** `from`: the first message to remove, as its index among the current ones. */
type Rewind = { how: 'from'; at: number } | { how: 'none' } | { how: 'impossible'; why: string };

/** gemini does not recognise a session without a prompt. */
const EMPTY = {
  how: 'impossible',
  why: 'Nothing would remain of this session, and gemini resumes no empty one: start a fresh session instead.',
} as const satisfies Rewind;

function rewindBefore(messages: readonly GeminiMessage[], turn: number): Rewind {
  const at = promptsIn(messages)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return turn === 1 ? EMPTY : { how: 'from', at };
}

function rewindAfterPrompt(messages: readonly GeminiMessage[], turn: number): Rewind {
  const at = promptsIn(messages)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return at + 1 === messages.length ? { how: 'none' } : { how: 'from', at: at + 1 };
}

/** A step is a message of the model and the responses to its calls; notes belong to what precedes them. */
function rewindLastStep(messages: readonly GeminiMessage[]): Rewind {
  const at = messages.findLastIndex((message) => message.type === 'gemini' || isPrompt(message));
  if (at === -1) return { how: 'none' };
  return at === promptsIn(messages)[0] ? EMPTY : { how: 'from', at };
}

const noSuchTurn = (turn: number): Rewind => ({
  how: 'impossible',
  why: `This session has no turn ${turn}: look at its turns with "tollgate history".`,
});

/** The index of each turn's prompt among the messages. */
const promptsIn = (messages: readonly GeminiMessage[]): number[] =>
  messages.flatMap((message, at) => (isPrompt(message) ? [at] : []));

function readTurn(messages: readonly GeminiMessage[], number: number, from: number, to: number): Turn {
  const [prompt, ...rest] = messages.slice(from, to);
  const items = rest.flatMap(itemsOf);
  return {
    number,
    at: timeOf(prompt!),
    prompt: saidIn(prompt!.content),
    items: withoutRepeats(items),
    tokens: lastTokens(rest),
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
