// A prompt's text from its sources: redacted, digested, laid out. The same sources give the same text.

import { titlesOf } from '../markdown/sections.ts';
import type { Redactor } from '../redact/redactor.ts';
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

/** A prompt that is longer than its limit, whatever was left out. */
export interface TooLarge {
  chars: number;
  limit: number;
  /** Half a sentence. */
  why: string;
}

export interface ComposedText {
  text: string;
  parts: PartSize[];
  /** What was done, which is `off` where `auto` had nothing to do. */
  digest: Digest;
  leftOut: LeftOut[];
  /** null where it may be sent. */
  tooLarge: TooLarge | null;
  warnings: string[];
}

/** @param limit characters that the prompt may have: over it `auto` leaves out. */
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

/** Of a file that alone is over the limit only head and tail were read. */
const leftUnread = (parts: readonly PromptPart[]): number =>
  parts.reduce((sum, { excerpt }) => sum + (excerpt.left?.chars ?? 0), 0);

const OFF = 'context.digest_policy is off, so nothing of it was left out';
const NEVER_CUT = 'what is never left out (rules, template, goal, criteria, form) is too long';

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

/** Sections of a context are kept under names of their own. */
const keptElsewhere = ({ kind }: PromptPart, sizes: readonly PartSize[]): number =>
  kind === 'context'
    ? sizes.filter(({ name }) => name.endsWith(', from the context')).reduce((sum, { kept }) => sum + kept, 0)
    : 0;

const notIncluded = ({ attachments }: PromptSource): string[] =>
  attachments.flatMap(({ name, bytes, holds }) => {
    if (holds.how === 'binary') return [`${name} is binary (${bytes} bytes) and is not included`];
    return holds.how === 'forbidden' ? [`${name} is forbidden by ${holds.glob} and is not included`] : [];
  });

/** Of these a digest makes shorter texts, which do not know how long they would have been. */
const CLOSING: readonly PartKind[] = ['scope', 'prohibited', 'acceptance'];

const charsIn = (whole: readonly PromptPart[], kind: PartKind): number =>
  sizeOf(whole.find((part) => part.kind === kind)!).chars;

const lengthOfReading = () => ({ chars: reading('').length, kept: reading('').length });

/** The headings of the highest level of which there are several. */
function mainSections(text: string): string[] {
  const sections = titlesOf(text);
  for (let level = 1; level <= 6; level += 1) {
    const titles = sections.filter((section) => section.level === level).map((section) => section.title);
    if (titles.length > 1) return titles;
  }
  return [];
}
