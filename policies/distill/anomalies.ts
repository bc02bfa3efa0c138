// Detects what is wrong with an answer. Each check gives its evidence and can be switched off.

import { oneLine } from '../text/display.ts';
import { fencesOf } from '../text/markdown.ts';
import type { ANOMALY_PAUSES } from './pauses.ts';
import type { TurnAnswer } from './service.ts';
import { reachesEnd } from './turn-contents.ts';

export type AnomalyName = keyof typeof ANOMALY_PAUSES;

export interface Anomaly {
  name: AnomalyName;
  /** For users: a sentence without a full stop about everything that is wrong with the answer. */
  evidence: string;
  /** What else is wrong with the answer, so that no one keeps it for its first reason alone. Older lines lack this field. */
  also?: readonly AnomalyName[];
}

/** The data that an answer is checked against. */
interface AnswerContext {
  /** The last accepted answer; null for the first. */
  before: string | null;
  /** The model version that answered until now; null before the first answer. */
  modelVersion: string | null;
  endMarker: string;
  off: ReadonlySet<AnomalyName>;
}

type Check = (answer: TurnAnswer, context: AnswerContext) => string | null;

/** In order of importance: a blocked answer, for example, is usually short too. */
const CHECKS: readonly (readonly [AnomalyName, Check])[] = [
  ['model_changed', anotherModel],
  ['finish_reason', cutOrBlocked],
  ['control_tokens', leakedTokens],
  ['refusal', refused],
  ['short', tooShort],
  ['loop', repeated],
];

/** Returns null for a normal answer. */
export function anomalyOf(answer: TurnAnswer, context: AnswerContext): Anomaly | null {
  const found = CHECKS.flatMap(([name, check]) => {
    const evidence = context.off.has(name) ? null : check(answer, context);
    return evidence === null ? [] : [{ name, evidence }];
  });
  // This applies even if the check is off: the service rejects every later request whose history holds an empty answer.
  if (isEmptyAnswer(answer) && found.every(({ name }) => name !== 'short')) found.push(EMPTY);
  const [first, ...others] = found;
  if (first === undefined) return null;
  return {
    name: first.name,
    evidence: [first.evidence, ...others.map(({ name, evidence }) => `and (${name}) ${evidence}`)].join('; '),
    ...(others.length > 0 && { also: others.map(({ name }) => name) }),
  };
}

const EMPTY = { name: 'short', evidence: 'the answer is empty' } as const;

export const isEmptyAnswer = ({ text }: TurnAnswer): boolean => text.trim() === '';

function anotherModel({ modelVersion }: TurnAnswer, { modelVersion: before }: AnswerContext): string | null {
  if (before === null || modelVersion === null || before === modelVersion) return null;
  return `${modelVersion} answered, and ${before} had answered until then`;
}

/** Normal ends. All others are in the service's list of reasons to stop. */
const WHOLE: ReadonlySet<string> = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED']);

function cutOrBlocked({ finishReason, blockReason }: TurnAnswer): string | null {
  if (blockReason !== null) return `the service blocked the prompt: ${blockReason}`;
  // An answer that is missing without a reason is empty, and the check `short` reports it.
  return finishReason !== null && !WHOLE.has(finishReason) ? `the answer ended with ${finishReason}` : null;
}

/** Tokens that models write between turns, and that no book contains. */
const CONTROL = /<\|[a-z_]{2,30}\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<ctrl\d{1,3}>|<unused\d{1,3}>|<\/?s>(?=\s*$)/;

function leakedTokens({ text }: TurnAnswer, { endMarker }: AnswerContext): string | null {
  const found = CONTROL.exec(withoutCode(endMarker === '' ? text : text.replaceAll(endMarker, '')));
  return found === null ? null : `it holds the control token ${found[0]}`;
}

/** Matches at the beginning of an answer the words in which models decline. */
const REFUSAL =
  /^\W{0,10}(?:(?:i['’]m|i am|we['’]re|we are) (?:very |so |really )?(?:sorry|afraid|unable)\b|sorry\b[,.!]|(?:unfortunately,? )?(?:i|we) (?:can['’]?t|cannot|can not|won['’]?t|will not|am (?:not able|unable)|must (?:decline|refuse))\b|unfortunately,? i\b|as an ai\b|my apologies\b|i apologi[sz]e\b)/i;

function refused({ text }: TurnAnswer): string | null {
  const opening = text.trimStart().slice(0, 300);
  return REFUSAL.test(opening) ? `it begins like a refusal: "${oneLine(opening, 120)}"` : null;
}

/** Characters outside code. */
export const SHORT_CHARS = 200;

function tooShort({ text }: TurnAnswer, { endMarker }: AnswerContext): string | null {
  const said = endMarker === '' ? text : text.replaceAll(endMarker, '');
  // The last answer of a book may be the marker alone. An answer with code is long enough.
  if (said.trim() === '' && text.trim() !== '') return null;
  if (fencesOf(said).some(({ body }) => body.trim() !== '')) return null;
  const { length } = said.trim();
  if (length >= SHORT_CHARS || reachesEnd(text, endMarker)) return null;
  return length === 0 ? 'the answer is empty' : `it has ${length} characters, fewer than ${SHORT_CHARS}`;
}

const withoutCode = (text: string): string => {
  let plain = '';
  let from = 0;
  for (const fence of fencesOf(text)) {
    plain += text.slice(from, fence.from);
    from = fence.to;
  }
  return plain + text.slice(from);
};

export const LOOP_SIMILARITY = 0.9;

function repeated({ text }: TurnAnswer, { before }: AnswerContext): string | null {
  if (before === null) return null;
  const similarity = trigramSimilarity(text, before);
  if (similarity <= LOOP_SIMILARITY) return null;
  return `it is ${Math.round(similarity * 100)} % the section before it (by groups of three characters)`;
}

/** Returns the share of three-character groups that both texts have, among those that either has: 0 to 1. */
export function trigramSimilarity(one: string, other: string): number {
  const [a, b] = [trigramsOf(one), trigramsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const group of a) if (b.has(group)) shared += 1;
  return shared / (a.size + b.size - shared);
}

function trigramsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replace(/\s+/g, ' ').trim();
  const found = new Set<string>();
  for (let i = 0; i + 3 <= plain.length; i += 1) found.add(plain.slice(i, i + 3));
  return found;
}
