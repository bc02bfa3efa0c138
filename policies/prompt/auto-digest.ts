// The digest `auto`: a long prompt keeps what is asked for whole, the beginning of its lists, and head and tail of what it is told besides.

import { charsOf, render, shorten } from './excerpt.ts';
import { filesPart } from './files-part.ts';
import { layOut } from './layout.ts';
import type { Part, PartKind } from './part.ts';
import { fairShare } from './shares.ts';
import type { PromptSource } from './source.ts';
import { closingParts } from './whole-parts.ts';

/**
 * A prompt of up to so many characters is left as it is; a longer one is brought down to it as far as that can be done.
 * It stays above where what is never cut is longer: rules, role, goal, criteria and form, the request up to
 * `REQUEST_CHARS`, of each list of globs or commands `LIST_CHARS`, and `LEAST_ROOM_CHARS` for the rest.
 */
export const AUTO_OVER_CHARS = 8000;
/** The request is left whole up to this, however long the rest is. */
export const REQUEST_CHARS = 8000;
/** What context, attachments and earlier answers get together, even if rules, role and request fill the prompt already. */
const LEAST_ROOM_CHARS = 2000;
/** Attachments of which less would be left are only listed. */
const LEAST_PIECE_CHARS = 300;

const SHORTENED: readonly PartKind[] = ['context', 'attachment', 'answer'];

export function autoDigest(source: PromptSource, whole: readonly Part[]): Part[] {
  const closing = closingParts(source, 'begun');
  const parts = whole.map((part) =>
    part.kind === 'request' ? cut(part, REQUEST_CHARS) : (closing.find(({ kind }) => kind === part.kind) ?? part),
  );
  const share = shareOf(parts);
  if (share >= LEAST_PIECE_CHARS || !parts.some(isAttached))
    return parts.map((part) => fit(part, Math.max(share, LEAST_PIECE_CHARS)));
  const first = parts.findIndex(isAttached);
  const rest = parts.flatMap((part, i) =>
    i === first ? [filesPart(source.attachments)] : isAttached(part) ? [] : [part],
  );
  const larger = Math.max(shareOf(rest), LEAST_PIECE_CHARS);
  return rest.map((part) => fit(part, larger));
}

/** Quoted, with fences of its own. */
const isAttached = (part: Part): boolean => part.kind === 'attachment';

function shareOf(parts: readonly Part[]): number {
  const lengths = parts.filter(isShortened).map((part) => render(part.excerpt).length);
  const fixed = layOut(parts).length - lengths.reduce((sum, length) => sum + length, 0);
  return fairShare(lengths, Math.max(LEAST_ROOM_CHARS, AUTO_OVER_CHARS - fixed));
}

const isShortened = (part: Part): boolean => part.label !== null && SHORTENED.includes(part.kind);

const fit = (part: Part, max: number): Part => (isShortened(part) ? cut(part, max) : part);

const cut = (part: Part, max: number): Part =>
  charsOf(part.excerpt) <= max ? part : { ...part, excerpt: shorten(part.excerpt, max, part.lean) };
