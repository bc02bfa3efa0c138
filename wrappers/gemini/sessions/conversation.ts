// Presents a gemini session as one conversation, in either of its two file formats.

import { compareVersions, TESTED_VERSIONS } from '../../../policies/manifest/tested-versions.ts';
import type { ContextTokens, Flaw, Item, Turn } from '../../../policies/session/conversation.ts';
import type { Conversation, Edit, SessionFile } from '../../sessions/store.ts';
import { findFlaws, repairedMessages } from './flaws.ts';
import type { GeminiEntry } from './fold.ts';
import { asObject, type GeminiMessage, type GeminiPart, objectsOf, partsOf, saidIn, textOf } from './record.ts';

/** What differs between the formats. */
export interface Source {
  session: SessionFile;
  /** Passes the current messages to `read`. May call it again if a message turns out to be torn. */
  use<T>(read: (entries: readonly GeminiEntry[]) => T): T;
  /** Each message replaces the one with its id. */
  rewrite(messages: readonly GeminiMessage[]): Edit;
  /** Removes this message and all that follow it. */
  cutFrom(message: GeminiMessage): Edit;
  totalTokens(): number | null;
}

export function converse({ session, use, rewrite, cutFrom, totalTokens }: Source): Conversation {
  const rewound = (decide: (entries: readonly GeminiEntry[]) => Rewind): Edit =>
    use((entries) => {
      const rewind = decide(entries);
      // Read it completely first: if a rewind names an id that the CLI does not know, the CLI forgets everything.
      return rewind.how === 'from' ? cutFrom(entries[rewind.at]!.read()) : rewind;
    });
  return {
    session,
    get turns() {
      return use((entries) => promptsIn(entries).length);
    },
    read: (from, to) => use((entries) => readTurns(entries, from, to)),
    contextTokens: () => use(lastTokens),
    totalTokens,
    countedSoFar: () => null,
    flaws: (cliVersion) => use((entries) => judgeFlaws(entries, cliVersion)),
    repair: (flaws) =>
      use((entries) => {
        const messages = repairedMessages(findFlaws(entries), flaws);
        return messages.length === 0 ? { how: 'none' } : rewrite(messages);
      }),
    before: (turn) => rewound((entries) => rewindBefore(entries, turn)),
    afterPrompt: (turn) => rewound((entries) => rewindAfterPrompt(entries, turn)),
    withoutLastStep: () => rewound(rewindLastStep),
  };
}

function readTurns(entries: readonly GeminiEntry[], from: number, to: number): Turn[] {
  const prompts = promptsIn(entries);
  return prompts.flatMap((start, i) =>
    i + 1 < from || i + 1 > to ? [] : [readTurn(entries, i + 1, start, prompts[i + 1] ?? entries.length)],
  );
}

function lastTokens(entries: readonly GeminiEntry[]): ContextTokens | null {
  for (const entry of [...entries].reverse()) {
    const tokens = entry.type === 'gemini' ? tokensOf(entry.read()) : null;
    if (tokens !== null) return tokens;
  }
  return null;
}

/** A call without a response is wrong for every version, a second response only for those that send it. */
function judgeFlaws(entries: readonly GeminiEntry[], cliVersion: string | null): Flaw[] | null {
  const flaws = findFlaws(entries).map(({ flaw }) => flaw);
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

/** `from`: the first entry to remove, as its index among the current ones. */
type Rewind = { how: 'from'; at: number } | { how: 'none' } | { how: 'impossible'; why: string };

/** gemini does not recognise a session without a prompt. */
const EMPTY = {
  how: 'impossible',
  why: 'Nothing would remain of this session, and gemini resumes no empty one: start a fresh session instead.',
} as const satisfies Rewind;

function rewindBefore(entries: readonly GeminiEntry[], turn: number): Rewind {
  const at = promptsIn(entries)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return turn === 1 ? EMPTY : { how: 'from', at };
}

function rewindAfterPrompt(entries: readonly GeminiEntry[], turn: number): Rewind {
  const at = promptsIn(entries)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return at + 1 === entries.length ? { how: 'none' } : { how: 'from', at: at + 1 };
}

/** A step is a message of the model and the responses to its calls; notes belong to what precedes them. */
function rewindLastStep(entries: readonly GeminiEntry[]): Rewind {
  const at = entries.findLastIndex(({ type, prompt }) => prompt || type === 'gemini');
  if (at === -1) return { how: 'none' };
  return at === promptsIn(entries)[0] ? EMPTY : { how: 'from', at };
}

const noSuchTurn = (turn: number): Rewind => ({
  how: 'impossible',
  why: `This session has no turn ${turn}: look at its turns with "tollgate history".`,
});

/** The index of each turn's prompt among the entries. */
const promptsIn = (entries: readonly GeminiEntry[]): number[] =>
  entries.flatMap(({ prompt }, at) => (prompt ? [at] : []));

function readTurn(entries: readonly GeminiEntry[], number: number, from: number, to: number): Turn {
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
