// A measured figure beside its peer, and the goals that it is held to.

import type { Times } from './pairs.ts';

export type Unit = 'ms' | 's' | 'MiB' | 'MB/s' | 'a second';

export interface FigureRow {
  what: string;
  unit: Unit;
  /** Medians, unless `what` says otherwise. */
  ours: number;
  /** The least of ours: what other work on the machine disturbs least. */
  min: number;
  /** null where nothing does the same. */
  peer: { name: string; value: number; min: number } | null;
  goals: readonly { goal: string; isReached: boolean }[];
}

export const rowOf = (
  what: string,
  unit: Unit,
  ours: Times,
  peer: ({ name: string } & Times) | null,
  goals: FigureRow['goals'] = [],
): FigureRow => ({
  ...{ what, unit, ours: ours.median, min: ours.min, goals },
  peer: peer && { name: peer.name, value: peer.median, min: peer.min },
});

/** One part of `npm run bench`, by the name that chooses it. */
export interface Figure {
  about: string;
  /** How often each side is measured unless `--rounds` says it; null where each is measured in a way of its own, which `about` tells. */
  rounds: number | null;
  measure(rounds: number): Promise<FigureRow[]>;
}

const DIGITS: Record<Unit, number> = { ms: 1, s: 2, MiB: 1, 'MB/s': 0, 'a second': 0 };

/** A row of the table in docs/figures.md. */
export function cells({ what, unit, ours, min, peer, goals }: FigureRow): string[] {
  const shown = (value: number) => `${value.toFixed(DIGITS[unit])} ${unit}`;
  const beside =
    peer === null
      ? ['–', '–', '–']
      : [`${shown(peer.value)} (${peer.name})`, shown(ours - peer.value), (ours / peer.value).toFixed(2)];
  const held = goals.map(({ goal, isReached }) => `${goal}: ${isReached ? 'reached' : '**missed**'}`).join('; ');
  return [what, shown(ours), shown(min), ...beside, held || '–'];
}

export const HEAD = ['what', 'Tollgate', 'least', 'peer', 'difference', 'ratio', 'goal'];

export const table = (rows: readonly FigureRow[]): string =>
  [HEAD, HEAD.map(() => '---'), ...rows.map(cells)].map((line) => `| ${line.join(' | ')} |`).join('\n');
