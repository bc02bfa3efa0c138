// Compares signatures over pairs of cases: the same failure with the same text, with other texts, and two failures.

import type { Subject } from './subject.ts';

export interface Share {
  of: number;
  right: number;
}

export function pairsOf(subjects: readonly Subject[]) {
  const named = subjects.filter(({ labelled }) => labelled.identity !== null);
  const failures = named.filter(({ labelled, signature }) => signature !== null && labelled.label.class !== null);
  const byRendering = groups(failures, (one) => JSON.stringify([one.part, identityOf(one), one.labelled.rendering]));
  const sameRendering = shareOf(byRendering);
  const all = shareOf(groups(failures, (one) => JSON.stringify([one.part, identityOf(one)])));
  const renderings = groups(named, identityOf);
  const bySignature = groups(failures, signatureOf);
  return {
    cases: subjects.length,
    identities: renderings.length,
    /** Identities that occur in two or more texts. */
    severalRenderings: renderings.filter((ones) => groups(ones, ({ labelled }) => `${labelled.rendering}`).length > 1)
      .length,
    /** Pairs of one identity and one rendering, and those with one signature. */
    sameRendering,
    /** The same over two renderings of one identity. */
    sameIdentity: { of: all.of - sameRendering.of, right: all.right - sameRendering.right },
    /** Pairs of two identities with one signature. */
    mergedPairs: total(bySignature.map(mergedIn)),
    merged: bySignature.filter((ones) => mergedIn(ones) > 0),
    split: byRendering.filter((ones) => groups(ones, signatureOf).length > 1),
  };
}

/**
 * A name is specific to its writer: two writers may have given one failure two names, or two failures one name. So a pair of two
 * writers does not count.
 */
const mergedIn = (ones: readonly Subject[]): number =>
  total(groups(ones, ({ part }) => part).map((same) => pairsIn([same]) - pairsIn(groups(same, identityOf))));

/** All pairs within the groups, and those with one signature. */
const shareOf = (named: readonly Subject[][]): Share => ({
  of: pairsIn(named),
  right: pairsIn(named.flatMap((ones) => groups(ones, signatureOf))),
});

const identityOf = ({ labelled }: Subject): string => `${labelled.identity}`;
const signatureOf = ({ signature }: Subject): string => signature!.signature;
const pairsIn = (lists: readonly Subject[][]): number => total(lists.map(({ length: n }) => (n * (n - 1)) / 2));
const total = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0);

/** The items with one name each, in the order of their first. */
export function groups<Item>(items: readonly Item[], nameOf: (one: Item) => string): Item[][] {
  const found = new Map<string, Item[]>();
  for (const one of items) {
    const name = nameOf(one);
    const list = found.get(name) ?? [];
    list.push(one);
    found.set(name, list);
  }
  return [...found.values()];
}
