// Signatures over pairs of cases: one failure told alike, one failure told otherwise, two failures.

import type { Subject } from './subject.ts';

export interface Pairs {
  cases: number;
  identities: number;
  /** Identities that are told in two ways or more. */
  severalRenderings: number;
  /** Pairs of one identity and one rendering, and those with one signature. */
  sameRendering: Share;
  /** The same over two renderings of one identity. */
  sameIdentity: Share;
  /** Pairs of two identities with one signature, by signature. */
  merged: { signature: string; normalised: string; pairs: number; failures: Record<string, string[]> }[];
  /** Renderings with several signatures. */
  split: { identity: string; rendering: string; signatures: { normalised: string; ids: string[] }[] }[];
}

export interface Share {
  of: number;
  right: number;
}

export function pairsOf(subjects: readonly Subject[]): Pairs {
  const failures = subjects.filter(
    ({ labelled, signature }) => labelled.identity !== null && signature !== null && labelled.label.class !== null,
  );
  const byRendering = groups(failures, ({ labelled }) => JSON.stringify([labelled.identity, labelled.rendering]));
  const byIdentity = groups(failures, ({ labelled }) => labelled.identity!);
  const bySignature = groups(failures, signatureOf);
  const sameRendering = shareOf(byRendering);
  const all = shareOf(byIdentity);
  const renderings = new Map<string, Set<string>>();
  for (const { labelled } of subjects.filter(({ labelled }) => labelled.identity !== null))
    renderings.set(labelled.identity!, (renderings.get(labelled.identity!) ?? new Set()).add(labelled.rendering!));
  return {
    cases: subjects.length,
    identities: renderings.size,
    severalRenderings: [...renderings.values()].filter(({ size }) => size > 1).length,
    sameRendering,
    sameIdentity: { of: all.of - sameRendering.of, right: all.right - sameRendering.right },
    merged: [...bySignature].flatMap(([signature, ones]) => {
      const of = groups(ones, ({ labelled }) => labelled.identity!);
      if (of.size === 1) return [];
      const pairs = choose(ones.length) - total([...of.values()].map(({ length }) => choose(length)));
      return [
        {
          signature,
          normalised: ones[0]!.signature!.normalised,
          pairs,
          failures: Object.fromEntries([...of].map(([identity, same]) => [identity, same.map(idOf)])),
        },
      ];
    }),
    split: [...byRendering].flatMap(([name, ones]) => {
      const of = groups(ones, signatureOf);
      if (of.size === 1) return [];
      const [identity, rendering] = JSON.parse(name) as [string, string];
      return [
        {
          identity,
          rendering,
          signatures: [...of.values()].map((same) => ({
            normalised: same[0]!.signature!.normalised,
            ids: same.map(idOf),
          })),
        },
      ];
    }),
  };
}

/** Of all pairs within each group, those with one signature. */
function shareOf(named: Map<string, Subject[]>): Share {
  const lists = [...named.values()];
  return {
    of: total(lists.map(({ length }) => choose(length))),
    right: total(lists.flatMap((ones) => [...groups(ones, signatureOf).values()].map(({ length }) => choose(length)))),
  };
}

const signatureOf = ({ signature }: Subject): string => signature!.signature;
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
