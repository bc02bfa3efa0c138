// Lists the published figures, row by row: what is measured, what must hold, and how it is shown.

import { KEPT_GROUPS, type Measured } from './measure.ts';
import type { Share } from './pairs.ts';
import { type Counted, sum } from './variants.ts';

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
const shareOf = (counts: readonly Counted[]): Share => {
  const { variants, right } = sum(counts);
  return { of: variants, right };
};
const shown = (share: Share, what: string): string =>
  share.of === 0 ? `no ${what}` : `${three(ratio(share))} (${thousands(share.of)} ${what})`;

export const keptOf = ({ kept }: Measured): Counted[] =>
  KEPT_GROUPS.flatMap((group) => kept[group].map((one) => ({ ...one, name: `${one.name} (${group})` })));

/** Returns the worst operator; those with few variants count as one. */
export function worst(counts: readonly Counted[]): Counted {
  const few = counts.filter(({ variants }) => variants < LEAST_VARIANTS);
  const rest: Counted = { name: 'the rare ones', ...sum(few), wrong: few.flatMap(({ wrong }) => wrong) };
  const shareIn = (one: Counted) => ratio({ of: one.variants, right: one.right });
  return [...counts.filter((one) => !few.includes(one)), rest].reduce((a, b) => (shareIn(b) < shareIn(a) ? b : a));
}

const atLeast = (least: number, shareIn: (measured: Measured) => Share): Pick<Figure, 'goal' | 'holds'> => ({
  goal: `≥ ${least.toFixed(2)}`,
  // With nothing measured, nothing is proved.
  holds: (measured) => shareIn(measured).of > 0 && ratio(shareIn(measured)) >= least,
});
const NO_GOAL = { goal: '–', holds: null };

export const FIGURES: readonly Figure[] = [
  {
    metric: 'cases, failures (told in two ways or more)',
    ...NO_GOAL,
    shown: ({ pairs }) => `${pairs.cases}, ${pairs.identities} (${pairs.severalRenderings})`,
  },
  {
    metric: 'same failure, told alike → same signature',
    ...atLeast(0.96, ({ pairs }) => pairs.sameRendering),
    shown: ({ pairs }) => shown(pairs.sameRendering, 'pairs'),
  },
  {
    metric: 'same failure, told otherwise → same signature',
    ...NO_GOAL,
    shown: ({ pairs }) => shown(pairs.sameIdentity, 'pairs'),
  },
  {
    metric: 'two failures, one signature',
    goal: '0 pairs',
    holds: ({ pairs }) => pairs.mergedPairs === 0,
    shown: ({ pairs }) => `${pairs.mergedPairs} pairs`,
  },
  {
    metric: 'volatile text changed → signature kept',
    ...atLeast(0.99, (measured) => shareOf(keptOf(measured))),
    shown: (measured) => shown(shareOf(keptOf(measured)), 'variants'),
  },
  {
    metric: '– of them the worst operator',
    ...atLeast(0.95, (measured) => shareOf([worst(keptOf(measured))])),
    shown: (measured) => {
      const { name, variants, right } = worst(keptOf(measured));
      return `${three(ratio({ of: variants, right }))}: ${name}`;
    },
  },
  {
    metric: 'one telling token changed → signature changed',
    ...atLeast(0.97, ({ telling }) => shareOf(telling)),
    shown: ({ telling }) => shown(shareOf(telling), 'variants'),
  },
  {
    metric: 'class as labelled',
    ...atLeast(0.97, ({ verdicts }) => verdicts.class),
    shown: ({ verdicts }) => shown(verdicts.class, 'cases'),
  },
  { metric: 'reason as labelled', ...NO_GOAL, shown: ({ verdicts }) => shown(verdicts.reason, 'cases') },
  { metric: '`retry_at` as labelled', ...NO_GOAL, shown: ({ verdicts }) => shown(verdicts.retryAt, 'cases') },
  {
    metric: 'retry decision as by the label',
    ...atLeast(0.98, ({ verdicts }) => verdicts.decision),
    shown: ({ verdicts }) => shown(verdicts.decision, 'cases'),
  },
];

/** The rows of the table in docs/figures.md that are the same on every machine. */
export const markdownRows = (open: Measured, held: Measured): string[] =>
  FIGURES.map(({ metric, goal, shown }) => `| ${metric} | ${goal} | ${shown(open)} | ${shown(held)} |`);

export const MARKDOWN_HEAD = ['| metric | goal | open | held |', '|---|---|---|---|'];
