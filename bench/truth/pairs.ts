// Compares signatures over pairs of cases: the same failure with the same text, with other texts, and two failures.

import type { Subject } from './subject.ts';

export interface Pairs {
  cases: number;
  identities: number;
  /** Identities that occur in two or more texts. */
  severalRenderings: number;
  /** Pairs of one identity and one rendering, and those with one signature. */
  sameRendering: Share;
  /** The same over two renderings of one identity. */
  sameIdentity: Share;
  /** Pairs of two identities with one signature. */
  mergedPairs: number;
  /** By signature: the failures that have it, with the names that each writer gave. */
  merged: { normalised: string; failures: Record<string, string[]> }[];
  /** Renderings with several signatures. */
  split: { identity: string; rendering: string; signatures: { normalised: string; ids: string[] }[] }[];
}

export interface Share {
  of: number;
  right: number;
}

export function pairsOf(subjects: readonly Subject[]): Pairs {
  const named = subjects.filter(({ labelled }) => labelled.identity !== null);
  const failures = named.filter(({ labelled, signature }) => signature !== null && labelled.label.class !== null);
  const byRendering = groups(failures, (one) => JSON.stringify([...failureOf(one), one.labelled.rendering]));
  const sameRendering = shareOf(byRendering);
  const all = shareOf(groups(failures, (one) => JSON.stringify(failureOf(one))));
  const renderings = [...groups(named, ({ labelled }) => `${labelled.identity}`).values()];
  return {
    cases: subjects.length,
    identities: renderings.length,
    severalRenderings: renderings.filter((ones) => new Set(ones.map(({ labelled }) => labelled.rendering)).size > 1)
      .length,
    sameRendering,
    sameIdentity: { of: all.of - sameRendering.of, right: all.right - sameRendering.right },
    ...mergesOf(failures),
    split: [...byRendering].flatMap(([name, ones]) => {
      const of = groups(ones, signatureOf);
      if (of.size === 1) return [];
      const [, identity, rendering] = JSON.parse(name) as [string, string, string];
      return [
        {
          identity,
          rendering,
          signatures: [...of.values()].map((same) => ({ normalised: textOf(same), ids: same.map(idOf) })),
        },
      ];
    }),
  };
}

/**
 * A name is valid only for its writer: two writers may name one failure differently, or two failures alike. A pair across two
 * writers therefore does not count.
 */
function mergesOf(failures: readonly Subject[]): Pick<Pairs, 'mergedPairs' | 'merged'> {
  const found: Pick<Pairs, 'mergedPairs' | 'merged'> = {
    mergedPairs: 0,
    merged: [],
  };
  for (const ones of groups(failures, signatureOf).values()) {
    const names = [...groups(ones, (one) => JSON.stringify(failureOf(one)))].map(([name, same]) => {
      const [part, identity] = JSON.parse(name) as [string, string];
      return { part, identity, same };
    });
    const merged = new Set<(typeof names)[number]>();
    for (const [i, a] of names.entries())
      for (const b of names.slice(i + 1)) {
        if (a.identity === b.identity || a.part !== b.part) continue;
        found.mergedPairs += a.same.length * b.same.length;
        merged.add(a).add(b);
      }
    if (merged.size > 0)
      found.merged.push({
        normalised: textOf(ones),
        failures: Object.fromEntries(
          [...merged].map(({ part, identity, same }) => [`${part}: ${identity}`, same.map(idOf)]),
        ),
      });
  }
  return found;
}

/** Of all pairs within each group, those with one signature. */
function shareOf(named: Map<string, Subject[]>): Share {
  const lists = [...named.values()];
  return {
    of: total(lists.map(({ length }) => choose(length))),
    right: total(lists.flatMap((ones) => [...groups(ones, signatureOf).values()].map(({ length }) => choose(length)))),
  };
}

const failureOf = ({ part, labelled }: Subject): [part: string, identity: string] => [part, `${labelled.identity}`];
const signatureOf = ({ signature }: Subject): string => signature!.signature;
const textOf = ([one]: readonly Subject[]): string => one!.signature!.normalised;
const idOf = ({ labelled }: Subject): string => labelled.id;
const choose = (n: number): number => (n * (n - 1)) / 2;
const total = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0);

function groups(subjects: readonly Subject[], nameOf: (one: Subject) => string): Map<string, Subject[]> {
  const found = new Map<string, Subject[]>();
  for (const one of subjects) {
    const name = nameOf(one);
    const list = found.get(name);
    if (list === undefined) found.set(name, [one]);
    else list.push(one);
  }
  return found;
}
