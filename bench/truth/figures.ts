// Lists the published figures, row by row: what is measured, what must hold, and how it is shown.

import { type Counted, KEPT_GROUPS, type Measured, sum } from './measure.ts';
import type { Share } from './pairs.ts';

export interface Figure {
  metric: string;
  goal: string;
  /** null: no goal. */
  holds: ((measured: Measured) => boolean) | null;
  shown: (measured: Measured) => string;
}

/** An operator with fewer variants proves nothing alone: such operators are combined. */
const LEAST_VARIANTS = 20;

export const ratio = ({ of, right }: Share): number => (of === 0 ? 1 : right / of);
/** Never rounded up: 1.000 means all. */
export const three = (share: number): string => (Math.floor(share * 1000 + 1e-9) / 1000).toFixed(3);
const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const shown = (share: Share, what: string): string =>
  share.of === 0 ? `no ${what}` : `${three(ratio(share))} (${thousands(share.of)} ${what})`;

export const keptOf = ({ kept }: Measured): Counted[] =>
  KEPT_GROUPS.flatMap((group) => kept[group].map((one) => ({ ...one, name: `${one.name} (${group})` })));

/** Returns the worst operator; those with few variants count as one. */
export function worst(counts: readonly Counted[]): Counted {
  const few = counts.filter(({ of }) => of < LEAST_VARIANTS);
  const rest: Counted = { name: 'the rare ones', ...sum(few), wrong: few.flatMap(({ wrong }) => wrong) };
  return [...counts.filter((one) => !few.includes(one)), rest].reduce((a, b) => (ratio(b) < ratio(a) ? b : a));
}

/** @param least null: no goal. */
const shareRow = (
  metric: string,
  least: number | null,
  shareIn: (measured: Measured) => Share,
  what: 'pairs' | 'variants' | 'cases',
): Figure => ({
  metric,
  goal: least === null ? '–' : `≥ ${least.toFixed(2)}`,
  // With nothing measured, nothing is proved.
  holds: least === null ? null : (measured) => shareIn(measured).of > 0 && ratio(shareIn(measured)) >= least,
  shown: (measured) => shown(shareIn(measured), what),
});

export const FIGURES: readonly Figure[] = [
  {
    metric: 'cases, failures (told in two ways or more)',
    goal: '–',
    holds: null,
    shown: ({ pairs }) => `${pairs.cases}, ${pairs.identities} (${pairs.severalRenderings})`,
  },
  shareRow('same failure, told alike → same signature', 0.96, ({ pairs }) => pairs.sameRendering, 'pairs'),
  shareRow('same failure, told otherwise → same signature', null, ({ pairs }) => pairs.sameIdentity, 'pairs'),
  {
    metric: 'two failures, one signature',
    goal: '0 pairs',
    holds: ({ pairs }) => pairs.mergedPairs === 0,
    shown: ({ pairs }) => `${pairs.mergedPairs} pairs`,
  },
  shareRow('volatile text changed → signature kept', 0.99, (measured) => sum(keptOf(measured)), 'variants'),
  {
    ...shareRow('– of them the worst operator', 0.95, (measured) => worst(keptOf(measured)), 'variants'),
    shown: (measured) => `${three(ratio(worst(keptOf(measured))))}: ${worst(keptOf(measured)).name}`,
  },
  shareRow('one telling token changed → signature changed', 0.97, ({ telling }) => sum(telling), 'variants'),
  shareRow('class as labelled', 0.97, ({ verdicts }) => verdicts.class, 'cases'),
  shareRow('reason as labelled', null, ({ verdicts }) => verdicts.reason, 'cases'),
  shareRow('`retry_at` as labelled', null, ({ verdicts }) => verdicts.retryAt, 'cases'),
  shareRow('retry decision as by the label', 0.98, ({ verdicts }) => verdicts.decision, 'cases'),
];

/** The rows of the table in docs/figures/truth.md that are the same on every machine. */
export const markdownRows = (open: Measured, held: Measured): string[] =>
  FIGURES.map(({ metric, goal, shown }) => `| ${metric} | ${goal} | ${shown(open)} | ${shown(held)} |`);

export const MARKDOWN_HEAD = ['| metric | goal | open | held |', '|---|---|---|---|'];
