// Makes the digests of a prompt: `auto` shortens a long one, `aggressive` keeps only the core of the task.

import { sectionsNamed } from '../text/sections.ts';
import { charsOf, render, shorten, wholeText } from './excerpt.ts';
import { instruction, layOut, type PartKind, type PromptPart, quoted } from './part.ts';
import type { Attachment, PromptSource } from './source.ts';
import { answerParts, changesPart, closingParts, openingParts, requestPart } from './whole-parts.ts';

/** The request's share of the limit. The request is the task, so it comes before all background. */
const REQUEST_SHARE = 0.75;
/** If the lists of globs and commands exceed this share of the limit, only their beginning is kept. */
const LISTS_SHARE = 0.2;
/** The room for context, attachments and earlier answers together, even if rules, role and request fill the prompt already. */
const LEAST_ROOM_CHARS = 2000;
/** Attachments of which less would remain are only listed. */
const LEAST_PIECE_CHARS = 300;

const SHORTENED: readonly PartKind[] = ['context', 'changes', 'attachment', 'answer'];

/**
 * Shortens a prompt to `limit` characters as far as possible. The result is longer if the parts that are never cut are longer.
 * These are rules, role, goal, criteria and form, three quarters of the limit for the request, and `LEAST_ROOM_CHARS` for the
 * rest.
 */
export function autoDigest(source: PromptSource, whole: readonly PromptPart[], limit: number): PromptPart[] {
  const closing = closingParts(source);
  const lists = closing.reduce((sum, { excerpt }) => sum + charsOf(excerpt), 0);
  const begun = lists > limit * LISTS_SHARE ? closingParts(source, 'begun') : closing;
  const parts = whole.map((part) =>
    part.kind === 'request'
      ? cutLonger(part, Math.floor(limit * REQUEST_SHARE))
      : (begun.find(({ kind }) => kind === part.kind) ?? part),
  );
  const share = shareOf(parts, limit);
  if (share >= LEAST_PIECE_CHARS || !parts.some(isAttached))
    return parts.map((part) => fit(part, Math.max(share, LEAST_PIECE_CHARS)));
  const first = parts.findIndex(isAttached);
  const rest = parts.flatMap((part, i) =>
    i === first ? [filesPart(source.attachments)] : isAttached(part) ? [] : [part],
  );
  const larger = Math.max(shareOf(rest, limit), LEAST_PIECE_CHARS);
  return rest.map((part) => fit(part, larger));
}

/** Attachments are quoted and have their own fences. */
const isAttached = (part: PromptPart): boolean => part.kind === 'attachment';

function shareOf(parts: readonly PromptPart[], limit: number): number {
  const lengths = parts.filter(isShortened).map((part) => render(part.excerpt).length);
  const fixed = layOut(parts).length - lengths.reduce((sum, length) => sum + length, 0);
  return fairShare(lengths, Math.max(LEAST_ROOM_CHARS, limit - fixed));
}

const isShortened = (part: PromptPart): boolean => part.label !== null && SHORTENED.includes(part.kind);

const fit = (part: PromptPart, max: number): PromptPart => (isShortened(part) ? cutLonger(part, max) : part);

const cutLonger = (part: PromptPart, max: number): PromptPart =>
  charsOf(part.excerpt) <= max ? part : { ...part, excerpt: shorten(part.excerpt, max, part.lean) };

/** The request itself. A goal may be one sentence that means nothing without the request. */
const REQUEST_DIGEST_CHARS = 2000;
/** All earlier answers together. A stage that consolidates answers must read them. */
const ANSWERS_DIGEST_CHARS = 4000;
/** The beginning of a change; the rest is in the tree. */
const CHANGES_DIGEST_CHARS = 8000;
/** Non-goals and fixed decisions; from the request and from the context, each. */
const SECTION_DIGEST_CHARS = 2000;

const NON_GOALS = ['non goals', 'non goal', 'nongoals', 'out of scope', 'not in scope', 'what not to do', 'exclusions'];

const DECISIONS = [
  'decisions',
  'decision',
  'fixed decisions',
  'decisions that are fixed',
  'key decisions',
  'design decisions',
  'constraints',
];

export function aggressiveDigest(source: PromptSource): PromptPart[] {
  return [
    ...openingParts(source),
    ...requestPart(source).map((part) => cut(part, REQUEST_DIGEST_CHARS)),
    ...sectionParts(source, NON_GOALS, 'non_goals', 'Non-goals'),
    ...sectionParts(source, DECISIONS, 'decisions', 'Fixed decisions'),
    ...changesPart(source).map((part) => cut(part, CHANGES_DIGEST_CHARS)),
    filesPart(source.attachments, [source.request?.path, source.context?.path]),
    ...digestedAnswers(source),
    ...closingParts(source, 'begun'),
  ].filter((part) => part.kind === 'reading' || render(part.excerpt).trim() !== '');
}

function sectionParts(
  source: PromptSource,
  titles: readonly string[],
  kind: 'non_goals' | 'decisions',
  heading: string,
): PromptPart[] {
  const from: [name: string, text: string | undefined][] = [
    ['request', source.request?.text],
    ['context', source.context?.text],
  ];
  return from.flatMap(([name, text]) => {
    const found = text === undefined ? '' : sectionsCalled(text, titles);
    const label = `${heading.toLowerCase()}, from the ${name}`;
    return found === '' ? [] : [cut(quoted(kind, heading, label, wholeText(found)), SECTION_DIGEST_CHARS)];
  });
}

/** Users write these sections, or a brief hands them off in the form in which users write. */
const sectionsCalled = (text: string, names: readonly string[]): string =>
  sectionsNamed(text, { names, writer: 'person' })
    .map(({ from, to }) => text.slice(from, to).trim())
    .join('\n\n');

function digestedAnswers(source: PromptSource): PromptPart[] {
  const parts = answerParts(source);
  const share = fairShare(
    parts.map((part) => render(part.excerpt).length),
    ANSWERS_DIGEST_CHARS,
  );
  return parts.map((part) => cut(part, share));
}

const cut = (part: PromptPart, max: number): PromptPart => ({
  ...part,
  excerpt: shorten(part.excerpt, max, part.lean),
});

/** The limit of the whole list; files beyond it are only counted. */
const FILES_CHARS = 4000;

/** `others` are paths of files that are not attachments; null entries are skipped. */
function filesPart(
  attachments: readonly Attachment[],
  others: readonly (string | null | undefined)[] = [],
): PromptPart {
  const lines = [
    ...others.filter((path) => typeof path === 'string').map((path) => `- ${path}`),
    ...attachments.map(fileLine),
  ];
  let shown = '';
  let count = 0;
  while (count < lines.length && shown.length + lines[count]!.length < FILES_CHARS) shown += `${lines[count++]}\n`;
  const more = lines.length - count;
  return instruction('files', 'Files to read', more === 0 ? shown : `${shown}- ... and ${more} more\n`);
}

function fileLine({ name, path, bytes, holds }: Attachment): string {
  if (holds.how === 'forbidden') return `- ${name}: [forbidden by ${holds.glob}: leave it alone]`;
  return holds.how === 'binary' ? `- ${path} (binary, ${bytes} bytes)` : `- ${path} (${bytes} bytes)`;
}

/** Returns the maximum for each, so that all together have at most `room`. */
function fairShare(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let remaining = room;
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(remaining / (sorted.length - i));
    if (length > share) return Math.max(0, share);
    remaining -= length;
  }
  return sorted.at(-1) ?? 0;
}
