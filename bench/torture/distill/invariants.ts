// What a distilled round has on disk, and what must be true of it, whatever struck it.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Anomaly } from '../../../policies/distill/anomalies.ts';
import { foldStanding } from '../../../policies/distill/distillation.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { linesIn, readdirOr, type Violation } from '../rig.ts';
import { BOOK, type TurnSeen, textOf } from './side.ts';

export const WRONG = {
  twice: 'accepted turns paid again',
  lost: 'lost',
  order: 'out of order',
  running: 'left running',
  unreadable: 'unreadable',
  unbooked: 'unbooked',
  undone: 'not brought to their end',
};
export type DistillViolation = Violation<keyof typeof WRONG>;

/** A process was ended, perhaps with an answer in its memory; and what was on disk then. */
export interface DistillKill {
  /** The last turn before that. */
  turn: number;
  /** Sections whose good answer was completely on disk. */
  kept: readonly number[];
}

/** A held answer, and what a person said about it. */
export interface DistillSaid {
  section: number;
  how: 'accept' | 'drop';
  /** The last turn before that. */
  turn: number;
}

/**
 * No good answer is paid again: not one that arrived or was accepted, and not one that was on disk when its process was
 * killed; each dropped one may be, once.
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
    return [{ what: 'order', why: `the sections are at ${places.join(', ')}` }];
  const headings = document.match(/^## Section \d+/gm) ?? [];
  return headings.length === texts.length
    ? []
    : [{ what: 'order', why: `${headings.length} headings for ${texts.length} sections: ${headings.join(', ')}` }];
}

const facts = (folder: string) =>
  existsSync(path.join(folder, 'state')) ? openJournal(folder, () => new Date()).read().ledger.distilled : [];

/** Why an answer is held; null where none is. */
export const heldIn = (folder: string): Anomaly | null => foldStanding(facts(folder)).standing().held?.anomaly ?? null;

/** The accepted and dropped answers. @param known how many of these are known already. */
export function saidIn(folder: string, known: number): Omit<DistillSaid, 'turn'>[] {
  const lines = facts(folder);
  const sections = new Map(lines.flatMap((line) => (line.fact === 'answered' ? [[line.turn, line.section]] : [])));
  const hows = { accepted: 'accept', dropped: 'drop' } as const;
  return lines
    .flatMap((line) =>
      line.fact === 'accepted' || line.fact === 'dropped'
        ? [{ section: sections.get(line.turn)!, how: hows[line.fact] }]
        : [],
    )
    .slice(known);
}

/** Sections with their own whole text in `turns/`. @param isOfApi it gives their version and their reason to end, which count. */
export function keptIn(folder: string, sections: number, isOfApi: boolean): number[] {
  const turns = path.join(folder, 'turns');
  return readdirOr(turns)
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(path.join(turns, name), 'utf8')) as Kept)
    .filter(({ section, answer }) => answer.text.replace(BOOK.endMarker, '').trim() === textOf(section, sections))
    .filter(({ answer }) => !isOfApi || (answer.modelVersion === BOOK.modelVersion && answer.finishReason === 'STOP'))
    .map(({ section }) => section);
}

interface Kept {
  section: number;
  answer: { text: string; modelVersion: string | null; finishReason: string | null };
}

/** The number of reserved calls. */
export const bookedIn = (folder: string): number =>
  linesIn(path.join(folder, 'state/journal.jsonl')).filter((line) => line.includes('"fact":"reserved"')).length;
