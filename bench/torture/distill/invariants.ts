// What must be true of a distilled round, whatever struck it: the five zeros.

import type { DocumentRequest } from '../../../test/rig/document-api.ts';

export interface DistillViolation {
  what: 'twice' | 'lost' | 'order' | 'running' | 'unreadable' | 'unbooked' | 'undone';
  why: string;
}

/** A process was ended while it may have had an answer in its hands; what lay on disk by then. */
export interface DistillKill {
  /** Requests that had come by then. */
  requests: number;
  /** Sections whose good answer was on disk, whole. */
  kept: readonly number[];
}

/** No good answer is asked for again: not one that arrived, and not one that was on disk when its process was killed. */
export function checkAsked(requests: readonly DocumentRequest[], kills: readonly DistillKill[]): DistillViolation[] {
  const found: DistillViolation[] = [];
  const arrived = new Map<number, number>();
  for (const { n, turn } of requests) {
    if (turn === null) continue;
    const { section } = turn;
    const before = arrived.get(section);
    if (before !== undefined && !kills.some((kill) => kill.requests >= before && kill.requests < n))
      found.push({ what: 'twice', why: `section ${section} was answered by request ${before}, and asked for by ${n}` });
    const kill = kills.findLast((one) => one.requests < n);
    if (kill?.kept.includes(section))
      found.push({ what: 'twice', why: `section ${section} was on disk, and was asked for again by request ${n}` });
    if (turn.whole) arrived.set(section, n);
  }
  return found;
}

/** @param texts of the sections, in order. */
export function checkDocument(document: string, texts: readonly string[]): DistillViolation[] {
  const places = texts.map((text) => document.indexOf(text));
  const lost = places.flatMap((place, i) => (place < 0 ? [i + 1] : []));
  if (lost.length > 0) return [{ what: 'lost', why: `sections ${lost.join(', ')} are not in the document` }];
  if (places.some((place, i) => i > 0 && place < places[i - 1]!))
    return [{ what: 'order', why: `the sections stand at ${places.join(', ')}` }];
  const headings = document.match(/^## Section \d+/gm) ?? [];
  return headings.length === texts.length
    ? []
    : [{ what: 'order', why: `${headings.length} headings for ${texts.length} sections: ${headings.join(', ')}` }];
}
