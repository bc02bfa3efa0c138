// Reads the state of a distilled round from disk: the complete answers, what was held, and the decisions about it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Anomaly } from '../../../policies/distill/anomalies.ts';
import { foldStanding } from '../../../policies/distill/standing.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { BOOK, textOf } from './side.ts';

const facts = (folder: string) =>
  existsSync(path.join(folder, 'state')) ? openJournal(folder, () => new Date()).read().ledger.distilled : [];

/** The anomaly for which an answer is held; null if none is held. */
export const heldIn = (folder: string): Anomaly | null => foldStanding(facts(folder)).standing().held?.anomaly ?? null;

/**
 * The decisions about held answers.
 * @param known how many of these are already known.
 */
export function saidIn(folder: string, known: number): { section: number; how: 'accept' | 'drop' }[] {
  const lines = facts(folder);
  const sections = new Map(lines.flatMap((line) => (line.fact === 'answered' ? [[line.turn, line.section]] : [])));
  return lines
    .flatMap((line) =>
      line.fact === 'accepted' || line.fact === 'dropped'
        ? [
            {
              section: sections.get(line.turn)!,
              how: line.fact === 'accepted' ? ('accept' as const) : ('drop' as const),
            },
          ]
        : [],
    )
    .slice(known);
}

/**
 * Returns the sections whose text is complete in `turns/`.
 * @param isOfApi the service reports a version and a reason to end, which must match.
 */
export function keptIn(folder: string, sections: number, isOfApi: boolean): number[] {
  const turns = path.join(folder, 'turns');
  return (existsSync(turns) ? readdirSync(turns) : [])
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
export function bookedIn(folder: string): number {
  const journal = path.join(folder, 'state/journal.jsonl');
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
  return lines.filter((line) => line.includes('"fact":"reserved"')).length;
}
