// Provides what all figures share: alternating measurements, a row with its peer and its goals, and the page that shows them.

import { readFileSync, writeFileSync } from 'node:fs';

export interface Times {
  median: number;
}

/**
 * Measures the sides in turn, so that other work on the machine slows all sides equally.
 * @param sides each measures itself once and returns its time.
 * @returns the times of each side; the first round fills the caches and does not count.
 */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, (round: number) => number | Promise<number>>,
): Promise<Record<Side, Times>> {
  const names = Object.keys(sides) as Side[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    // The order is reversed in every other round.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const value = await sides[name](round);
      if (round > 0) taken[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, timesOf(taken[name])])) as Record<Side, Times>;
}

export function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  // An even number of times has the mean of the middle two as its median: with two rounds this is not the worse one.
  return { median: (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2 };
}

export type Unit = 'ms' | 's' | 'MiB' | 'MB/s';

interface Goal {
  words: string;
  isReached: boolean;
}

export interface FigureRow {
  what: string;
  unit: Unit;
  ours: Times;
  /** Left out if nothing does the same. */
  peer?: { name: string } & Times;
  goal?: Goal;
}

/** One part of `npm run bench`, with the name that selects it. */
export interface Figure {
  about: string;
  /** How often each side is measured without `--rounds`; null if it is measured once. */
  rounds: number | null;
  measure(rounds: number): Promise<FigureRow[]>;
}

/** At most this value. */
export const atMost = (most: number, unit: Unit, ours: Times): Goal => ({
  words: `≤ ${most} ${unit}`,
  isReached: ours.median <= most,
});

/** At most this many milliseconds more than its peer. */
export const atMostOver = (most: number, ours: Times, peer: Times): Goal => ({
  words: `≤ + ${most.toFixed(0)} ms`,
  isReached: ours.median - peer.median <= most,
});

/** At most this many times its peer. */
export const atMostTimes = (most: number, ours: Times, peer: Times): Goal => ({
  words: `≤ ${most} ×`,
  isReached: ours.median <= most * peer.median,
});

const DIGITS: Record<Unit, number> = { ms: 1, s: 2, MiB: 1, 'MB/s': 0 };

/** Returns a row of the table in docs/figures/costs.md. */
export function cells({ what, unit, ours, peer, goal }: FigureRow): string[] {
  const shown = (value: number) => `${value.toFixed(DIGITS[unit])} ${unit}`;
  const beside = peer === undefined ? '–' : `${shown(peer.median)} (${peer.name})`;
  const held = goal === undefined ? '–' : `${goal.words}: ${goal.isReached ? 'reached' : '**missed**'}`;
  return [what, shown(ours.median), beside, held];
}

const HEAD = ['what', 'Tollgate', 'peer', 'goal'];

export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`).join('\n');

export const table = (rows: readonly FigureRow[]): string => tableOf(HEAD, rows.map(cells));

/** The page of each mark. */
export const PAGES = { bench: 'docs/figures/costs.md', truth: 'docs/figures/truth.md' } as const;

/**
 * Replaces the text between `<!-- mark -->` and `<!-- /mark -->`.
 * @param blocks paragraphs and tables.
 */
export function writeFigures(mark: keyof typeof PAGES, blocks: readonly string[], page: string = PAGES[mark]): void {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${page} has no place between ${begin} and ${end}`);
  writeFileSync(page, `${text.slice(0, from)}${begin}\n${blocks.join('\n\n')}\n${text.slice(to)}`);
}
