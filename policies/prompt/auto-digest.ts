// Makes the digest `auto`: shortens a long prompt's background to head and tail, and begins its lists, but keeps the task.

import { charsOf, render, shorten } from './excerpt.ts';
import { filesPart } from './files-part.ts';
import { layOut } from './layout.ts';
import type { PartKind, PromptPart } from './part.ts';
import { fairShare } from './shares.ts';
import type { PromptSource } from './source.ts';
import { closingParts } from './whole-parts.ts';

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
      ? cut(part, Math.floor(limit * REQUEST_SHARE))
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

const fit = (part: PromptPart, max: number): PromptPart => (isShortened(part) ? cut(part, max) : part);

const cut = (part: PromptPart, max: number): PromptPart =>
  charsOf(part.excerpt) <= max ? part : { ...part, excerpt: shorten(part.excerpt, max, part.lean) };
