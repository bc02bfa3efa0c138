// Finds the first rule that matches a message or an ending.

import type { Clock } from '../facts/clock.ts';
import type { EngineFailure } from '../facts/engine-event.ts';
import type { EvidenceSource } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';
import { type Match, mayFit, type Rule } from '../rules/rule.ts';
import { longestWait } from './retry-at.ts';

/** One message, or one way to end. */
export interface Subject {
  tool: Tool;
  source: EvidenceSource;
  failure: EngineFailure;
  /** Only for the source `exit_code`. */
  exit: number | string | null;
}

export function findRule(subject: Subject, rules: readonly Rule[], clock: Clock): Rule | null {
  // The exit code shows how the CLI ended, not our words for it.
  const failure = subject.exit === null ? subject.failure : { ...subject.failure, message: '' };
  const text = textsOf(failure).join('\n').slice(0, MAX_SAID).replace(URL, ' ');
  const said = { text, lower: text.toLowerCase() };
  const words = codesIn(failure);
  let known: Match['wait'] | null | undefined;
  const wait = () => {
    if (known === undefined) known = waitOf(subject.failure, clock);
    return known;
  };
  return rules.find((rule) => isAbout(rule, subject) && fits(rule.match, subject, said, words, wait)) ?? null;
}

/** The content of an address is no evidence: advice links to pages on rate limits and billing. */
const URL = /\bhttps?:\/\/[^\s"'<>)\]]{1,400}/g;

/** No service writes anything meaningful after this; it may echo the prompt there. */
const MAX_SAID = 8000;

export const textsOf = ({ message, details }: EngineFailure): string[] =>
  (details === undefined ? [message] : [message, details]).map((text) => text.slice(0, MAX_SAID));

const isAbout = ({ tool, source }: Rule, subject: Subject) =>
  (tool === 'any' || tool === subject.tool) && (source === 'any' || source === subject.source);

function fits(
  match: Match,
  { failure, exit }: Subject,
  said: { text: string; lower: string },
  words: ReadonlySet<string>,
  wait: () => Match['wait'] | null,
): boolean {
  const { status } = failure;
  if (match.exit && !(exit !== null && match.exit.includes(exit))) return false;
  if (match.status && !match.status.some((wanted) => isStatus(wanted, status))) return false;
  if (match.code && !match.code.some((wanted) => words.has(wanted.toLowerCase()))) return false;
  if (match.text && !(mayFit(said.lower, match.needs) && match.text.test(said.text))) return false;
  return match.wait === undefined || match.wait === wait();
}

function isStatus(wanted: number | '4xx' | '5xx' | 'none', status: number | undefined): boolean {
  if (wanted === 'none' || status === undefined) return wanted === 'none' && status === undefined;
  if (typeof wanted === 'number') return wanted === status;
  return Math.floor(status / 100) === Number(wanted.charAt(0));
}

/** The code, the type, and words that look like a code: with an underscore, a hump, all capitals, or an exception's name. */
function codesIn({ message, code, type }: EngineFailure): ReadonlySet<string> {
  const found =
    message
      .slice(0, MAX_SAID)
      .replace(URL, ' ')
      .match(/\b(?:[A-Za-z][A-Za-z0-9]*_\w+|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+)+Exception|[A-Z]{5,})\b/g) ?? [];
  return new Set([code ?? '', type ?? '', ...found].map((word) => word.toLowerCase()));
}

/** No time to wait at all. */
const NOW = /\b(?:in|after) 0(?:\.\d{1,9})? ?(?:ms|s|seconds?)\b/i;

/** A limit that lasts this long is a quota; a shorter one passes by itself. */
const LONG_MS = 3_600_000;

function waitOf(failure: EngineFailure, clock: Clock): Match['wait'] | null {
  const texts = textsOf(failure);
  const wait = longestWait(texts, clock);
  if (wait === null) return texts.some((text) => NOW.test(text)) ? 'short' : null;
  return wait >= LONG_MS ? 'long' : 'short';
}
