// Composes a prompt's text from its sources: redacts, digests and lays it out. The same sources give the same text.

import type { Redactor } from '../redact/redactor.ts';
import { titlesOf } from '../text/sections.ts';
import { aggressiveDigest, autoDigest } from './digest.ts';
import { type Omission, omissionsOf } from './omissions.ts';
import { layOut, type PartKind, type PartSize, type PromptPart, sizeOf } from './part.ts';
import { reading } from './rules.ts';
import type { Attachment, PromptSource } from './source.ts';
import { wholeParts } from './whole-parts.ts';

export type Digest = 'off' | 'auto' | 'aggressive';

/** A prompt that exceeds its limit even after omissions. */
interface TooLarge {
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
  leftOut: Omission[];
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
    leftOut: omissionsOf(parts),
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

/** Redacts a prompt's sources. It redacts each text before the fences are added, so that no fence is changed. */
function redacted(source: PromptSource, redactor: Redactor): PromptSource {
  const clean = (text: string) => wellFormed(redactor.redact(text));
  const cleanAll = (texts: readonly string[]) => texts.map(clean);
  return {
    ...source,
    rules: clean(source.rules),
    template: clean(source.template),
    goal: clean(source.goal),
    request: source.request && { path: spelledOut(clean(source.request.path)), text: clean(source.request.text) },
    context: source.context && {
      path: source.context.path && spelledOut(clean(source.context.path)),
      text: clean(source.context.text),
    },
    changes: source.changes && { ...source.changes, text: clean(source.changes.text) },
    attachments: source.attachments.map((attachment) => cleanAttachment(attachment, clean)),
    answers: source.answers.map((answer) => ({ ...answer, text: clean(answer.text) })),
    allow: cleanAll(source.allow),
    deny: cleanAll(source.deny),
    forbidden: cleanAll(source.forbidden),
    criteria: cleanAll(source.criteria),
    commands: cleanAll(source.commands),
    schema: source.schema && JSON.parse(clean(JSON.stringify(source.schema))),
  };
}

function cleanAttachment(attachment: Attachment, clean: (text: string) => string): Attachment {
  const { name, path, holds } = attachment;
  const shown = { ...attachment, name: spelledOut(clean(name)), path: spelledOut(clean(path)) };
  if (holds.how !== 'text') return shown;
  const { head, tail, omitted } = holds.excerpt;
  return { ...shown, holds: { how: 'text', excerpt: { head: clean(head), tail: clean(tail), omitted } } };
}

/** No CLI accepts a NUL, and half a surrogate pair cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

/** A file name may contain any character but `/`. So line breaks and control characters are spelt out. */
const spelledOut = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
