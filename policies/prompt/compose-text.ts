// Composes a prompt's text from its sources: redacts, digests and lays it out. The same sources give the same text.

import type { Redactor } from '../redact/redactor.ts';
import { titlesOf } from '../text/sections.ts';
import { aggressiveDigest } from './aggressive-digest.ts';
import { autoDigest } from './auto-digest.ts';
import { layOut } from './layout.ts';
import { type LeftOut, leftOutOf } from './left-out.ts';
import { type PartKind, type PartSize, type PromptPart, sizeOf } from './part.ts';
import { redacted } from './redacted.ts';
import { reading } from './rules.ts';
import type { PromptSource } from './source.ts';
import { wholeParts } from './whole-parts.ts';

export type Digest = 'off' | 'auto' | 'aggressive';

/** A prompt that exceeds its limit even after omissions. */
export interface TooLarge {
  chars: number;
  limit: number;
  /** Part of a sentence. */
  why: string;
}

export interface ComposedText {
  text: string;
  parts: PartSize[];
  /** The digest that was applied; `off` if `auto` had nothing to do. */
  digest: Digest;
  leftOut: LeftOut[];
  /** null if the prompt may be sent. */
  tooLarge: TooLarge | null;
  warnings: string[];
}

/** @param limit the maximum number of characters. Above it, `auto` omits text. */
export function composeText(secret: PromptSource, digest: Digest, redactor: Redactor, limit: number): ComposedText {
  const source = redacted(secret, redactor);
  const whole = wholeParts(source);
  if (digest === 'aggressive') return composed(source, whole, aggressiveDigest(source), 'aggressive', limit);
  const length = layOut(whole).length + leftUnread(whole);
  if (digest === 'auto' && length > limit)
    return composed(source, whole, autoDigest(source, whole, limit), 'auto', limit);
  const text = composed(source, whole, whole, 'off', limit);
  if (length <= limit) return text;
  const parts = text.parts.map((part) => ({ ...part, kept: part.chars }));
  return { ...text, parts, leftOut: [], tooLarge: { chars: length, limit, why: OFF } };
}

/** Of a file that alone exceeds the limit, only head and tail were read. */
const leftUnread = (parts: readonly PromptPart[]): number =>
  parts.reduce((sum, { excerpt }) => sum + (excerpt.omitted?.chars ?? 0), 0);

const OFF = 'context.digest_policy is off, so nothing of it was omitted';
const NEVER_CUT = 'what is never omitted (rules, template, goal, criteria, form) is too long';

function composed(
  source: PromptSource,
  whole: readonly PromptPart[],
  kept: readonly PromptPart[],
  digest: Digest,
  limit: number,
): ComposedText {
  const sizes = kept.map(sizeOf);
  const gone = whole.filter((part) => !kept.some(({ kind, name }) => kind === part.kind && name === part.name));
  const parts = [...sizes, ...gone.map((part) => ({ ...sizeOf(part), kept: keptElsewhere(part, sizes) }))].map(
    (part) => ({
      ...part,
      ...(part.kind === 'reading' ? lengthOfReading() : {}),
      ...(CLOSING.includes(part.kind) ? { chars: charsIn(whole, part.kind) } : {}),
      ...(part.kind === 'request' ? { sections: mainSections(source.request?.text ?? '') } : {}),
    }),
  );
  const text = layOut(kept);
  return {
    text,
    parts,
    digest,
    leftOut: leftOutOf(parts),
    tooLarge: text.length > limit ? { chars: text.length, limit, why: NEVER_CUT } : null,
    warnings: notIncluded(source),
  };
}

/** Sections of a context are listed under their own names. */
const keptElsewhere = ({ kind }: PromptPart, sizes: readonly PartSize[]): number =>
  kind === 'context'
    ? sizes.filter(({ name }) => name.endsWith(', from the context')).reduce((sum, { kept }) => sum + kept, 0)
    : 0;

const notIncluded = ({ attachments }: PromptSource): string[] =>
  attachments.flatMap(({ name, bytes, holds }) => {
    if (holds.how === 'binary') return [`${name} is binary (${bytes} bytes) and is not included`];
    return holds.how === 'forbidden' ? [`${name} is forbidden by ${holds.glob} and is not included`] : [];
  });

/** A digest shortens these texts, and the results do not contain their original length. */
const CLOSING: readonly PartKind[] = ['scope', 'prohibited', 'acceptance'];

const charsIn = (whole: readonly PromptPart[], kind: PartKind): number =>
  sizeOf(whole.find((part) => part.kind === kind)!).chars;

const lengthOfReading = () => ({ chars: reading('').length, kept: reading('').length });

/** Returns the headings of the highest level that has several. */
function mainSections(text: string): string[] {
  const sections = titlesOf(text);
  for (let level = 1; level <= 6; level += 1) {
    const titles = sections.filter((section) => section.level === level).map((section) => section.title);
    if (titles.length > 1) return titles;
  }
  return [];
}
