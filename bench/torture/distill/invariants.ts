// Checks what must be true of a distilled round, whatever struck it: the five zeros.

import type { TurnSeen } from './side.ts';

export interface DistillViolation {
  what: 'twice' | 'lost' | 'order' | 'running' | 'unreadable' | 'unbooked' | 'undone';
  why: string;
}

/** A process was ended while it may have received an answer; the state on disk at that moment. */
export interface DistillKill {
  /** The last turn that had arrived by then. */
  turn: number;
  /** Sections whose good answer was completely on disk. */
  kept: readonly number[];
}

/** A held answer, and the decision about it. */
export interface DistillSaid {
  section: number;
  how: 'accept' | 'drop';
  /** The last turn that had arrived before the decision. */
  turn: number;
}

/**
 * No good answer is requested again: not one that arrived or was accepted, and not one that was on disk when its process was
 * killed. Each dropped one may be requested again, once.
 */
export function checkAsked(
  turns: readonly TurnSeen[],
  kills: readonly DistillKill[],
  said: readonly DistillSaid[],
): DistillViolation[] {
  const found: DistillViolation[] = [];
  const arrived = new Map<number, number>();
  const drops = said.filter(({ how }) => how === 'drop').map(({ section }) => section);
  const isDropped = (section: number) => {
    const i = drops.indexOf(section);
    if (i >= 0) drops.splice(i, 1);
    return i >= 0;
  };
  for (const { n, section, whole } of turns) {
    const why = whyNot({ n, section }, arrived, kills, said);
    if (why !== null && !isDropped(section)) found.push({ what: 'twice', why });
    if (whole) arrived.set(section, n);
  }
  return found;
}

function whyNot(
  { n, section }: Pick<TurnSeen, 'n' | 'section'>,
  arrived: ReadonlyMap<number, number>,
  kills: readonly DistillKill[],
  said: readonly DistillSaid[],
): string | null {
  const accepted = said.find((one) => one.how === 'accept' && one.section === section && one.turn < n);
  if (accepted !== undefined)
    return `section ${section} was accepted after request ${accepted.turn}, and asked for by ${n}`;
  const before = arrived.get(section);
  if (before !== undefined && !kills.some((kill) => kill.turn >= before && kill.turn < n))
    return `section ${section} was answered by request ${before}, and asked for by ${n}`;
  const kill = kills.findLast((one) => one.turn < n);
  return kill?.kept.includes(section)
    ? `section ${section} was on disk, and was asked for again by request ${n}`
    : null;
}

/** @param texts the texts of the sections, in order. */
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
