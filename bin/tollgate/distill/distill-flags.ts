// Defines the flags of a distillation, and converts them to options.

import type { DistillRequest } from '../../../loops/distill/request.ts';
import type { AnomalyName } from '../../../policies/distill/anomalies.ts';
import { DEFAULT_CALLS } from '../../../policies/distill/budgets.ts';
import { DEFAULT_DISTILL_MODEL } from '../../../policies/distill/models.ts';
import { ANOMALY_PAUSES } from '../../../policies/distill/pauses.ts';
import { DEFAULT_END_MARKER } from '../../../policies/distill/turn-contents.ts';
import { wholeDuration } from '../../../policies/facts/duration.ts';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import type { Arguments, FlagRow } from '../../command-line.ts';

/** Maps the word that switches off a check to that check. */
const CHECK_WORDS: Record<string, AnomalyName> = Object.fromEntries(
  (Object.keys(ANOMALY_PAUSES) as AnomalyName[]).map((name) => [name.replaceAll('_', '-'), name]),
);

export const BOOK_FLAGS = {
  prompt: { takes: 'text', about: 'the file with the system instruction; without it, a general prompt for books' },
  via: {
    takes: 'choice',
    choices: TOOLS,
    about: 'use a CLI, in one session, instead of the API: for an EPUB or a text, split into files',
  },
  name: { takes: 'text', about: "the name of the run; default: the book's file name" },
} as const satisfies Record<string, FlagRow>;

export const RUN_FLAGS_OF_BOOK = {
  model: { takes: 'text', about: `the model; default: ${DEFAULT_DISTILL_MODEL}` },
  temperature: { takes: 'text', about: 'from 0 to 2; default: not sent' },
  'end-marker': {
    takes: 'text',
    about: `the literal text with which the last section ends; default: ${DEFAULT_END_MARKER}`,
  },
  'max-seconds': { takes: 'number', min: 1, about: 'stop this run after this many seconds, between two sections' },
  'max-tokens': { takes: 'number', min: 1, about: 'stop once the whole distillation has used this many tokens' },
  'max-usd': { takes: 'text', about: 'stop once it has cost this much; needs a known price' },
  'max-calls': { takes: 'number', min: 1, about: `the maximum of paid calls; default: ${DEFAULT_CALLS}` },
  'auto-wait': { takes: 'text', default: '60s', about: 'pause if the service requires a longer wait' },
  'answer-timeout': { takes: 'text', default: '30m', about: 'how long one answer may take' },
  'no-check': {
    takes: 'texts',
    about: `do not pause for: ${Object.keys(CHECK_WORDS).join(', ')}; repeatable`,
  },
  'trust-workspace': { takes: 'nothing', about: 'with --via: let the CLI use the hooks and servers of this folder' },
  out: { takes: 'text', about: "where the live document is written; default: the run's own folder" },
} as const satisfies Record<string, FlagRow>;

type SaidAndTerms = Pick<DistillRequest, 'said' | 'terms'>;

/** @returns what the flags choose, or what is wrong with them. */
export function settingsIn({ text, texts, number }: Arguments): SaidAndTerms | string {
  const temperature = decimal(text.temperature, 2);
  if (temperature === undefined) return `--temperature takes a number from 0 to 2, not "${text.temperature}"`;
  const endMarker = text['end-marker']?.trim() ?? null;
  if (endMarker === '') return '--end-marker takes what the last section ends with, and a blank one ends nothing';
  const maxUsd = decimal(text['max-usd'], 1e6);
  if (maxUsd === undefined) return `--max-usd takes dollars such as 2.50, not "${text['max-usd']}"`;
  const durations: Record<string, number> = {};
  for (const name of ['auto-wait', 'answer-timeout'] as const) {
    const ms = wholeDuration(text[name] ?? RUN_FLAGS_OF_BOOK[name].default);
    if (ms === null || ms > LONGEST_MS) return `--${name} takes a duration such as 60s, 5m or 2h, not "${text[name]}"`;
    durations[name] = ms;
  }
  const words = texts['no-check'] ?? [];
  const strange = words.find((word) => !Object.hasOwn(CHECK_WORDS, word));
  if (strange !== undefined) return `--no-check takes one of ${Object.keys(CHECK_WORDS).join(', ')}, not "${strange}"`;
  return {
    said: {
      model: text.model ?? null,
      temperature,
      endMarker,
      noCheck: words.length === 0 ? null : words.map((word) => CHECK_WORDS[word]!),
      out: text.out ?? null,
      maxCalls: number['max-calls'] ?? null,
      via: (text.via ?? null) as BuiltIn | null,
    },
    terms: {
      budgets: { maxSeconds: number['max-seconds'] ?? null, maxTokens: number['max-tokens'] ?? null, maxUsd },
      autoWaitMs: durations['auto-wait']!,
      turnMs: durations['answer-timeout']!,
    },
  };
}

/** The longest time that a timer accepts. */
const LONGEST_MS = 2 ** 31 - 1;

/** @returns undefined if the text is not such a number; null if there is no text. */
function decimal(text: string | undefined, max: number): number | null | undefined {
  if (text === undefined) return null;
  const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}
