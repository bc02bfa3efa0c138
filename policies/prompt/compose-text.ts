// A prompt's text from its sources: redacted, digested, laid out. The same sources give the same text.

import { titlesOf } from '../markdown/sections.ts';
import type { Redactor } from '../redact.ts';
import { aggressiveDigest } from './aggressive-digest.ts';
import { AUTO_OVER_CHARS, autoDigest, REQUEST_CHARS } from './auto-digest.ts';
import { layOut } from './layout.ts';
import { type Part, type PartKind, type PartSize, sizeOf } from './part.ts';
import { redacted } from './redacted.ts';
import { reading } from './rules.ts';
import type { PromptSource } from './source.ts';
import { wholeParts } from './whole-parts.ts';

export type Digest = 'off' | 'auto' | 'aggressive';

export interface ComposedText {
  text: string;
  parts: PartSize[];
  /** What was done, which is `off` where `auto` had nothing to do. */
  digest: Digest;
  warnings: string[];
}

export function composeText(secret: PromptSource, digest: Digest, redactor: Redactor): ComposedText {
  const source = redacted(secret, redactor);
  const whole = wholeParts(source);
  if (digest === 'aggressive') return composed(source, whole, aggressiveDigest(source), 'aggressive');
  if (digest === 'auto' && layOut(whole).length > AUTO_OVER_CHARS)
    return composed(source, whole, autoDigest(source, whole), 'auto');
  return composed(source, whole, whole, 'off');
}

function composed(source: PromptSource, whole: readonly Part[], kept: readonly Part[], digest: Digest): ComposedText {
  const sizes = kept.map(sizeOf);
  const gone = whole.filter((part) => !kept.some(({ kind, name }) => kind === part.kind && name === part.name));
  const parts = [...sizes, ...gone.map((part) => ({ ...sizeOf(part), kept: 0 }))].map((part) => ({
    ...part,
    ...(part.kind === 'reading' ? lengthOfReading() : {}),
    ...(CLOSING.includes(part.kind) ? { chars: charsIn(whole, part.kind) } : {}),
    ...(part.kind === 'request' ? { sections: mainSections(source.request?.text ?? '') } : {}),
  }));
  return { text: layOut(kept), parts, digest, warnings: warningsOf(source, sizes, digest) };
}

function warningsOf(source: PromptSource, sizes: readonly PartSize[], digest: Digest): string[] {
  const request = sizes.find((part) => part.kind === 'request');
  return [
    ...source.attachments.flatMap(({ name, bytes, holds }) => {
      if (holds.how === 'binary') return [`${name} is binary (${bytes} bytes) and is not included`];
      return holds.how === 'forbidden' ? [`${name} is forbidden by ${holds.glob} and is not included`] : [];
    }),
    ...(digest === 'auto' && request !== undefined && request.kept < request.chars
      ? [
          `the request has ${request.chars} characters and was cut to ${REQUEST_CHARS}; context.digest_policy: off keeps it whole`,
        ]
      : []),
  ];
}

/** Of these a digest makes shorter texts, which do not know how long they would have been. */
const CLOSING: readonly PartKind[] = ['scope', 'prohibited', 'acceptance'];

const charsIn = (whole: readonly Part[], kind: PartKind): number =>
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
