// Compares signatures over pairs of cases, and verdicts with their labels: class, reason, time to try again, decision.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { decide, type Question } from '../../policies/verdict/decide.ts';
import { differences } from '../../policies/verdict/labelled-case.ts';
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

export function verdictsOf(subjects: readonly Subject[]) {
  const judged = subjects.map((subject) => ({
    ...subject,
    differs: differences(subject.labelled.label, subject.verdict),
  }));
  const share = (what: string, isLabelled: (label: Subject['labelled']['label']) => boolean = () => true): Share => {
    const ones = judged.filter(({ labelled }) => isLabelled(labelled.label));
    const wrong = ones.filter(({ differs }) => differs.some((each) => each.what === what || each.what === 'class'));
    return { of: ones.length, right: ones.length - wrong.length };
  };
  return {
    class: share('class'),
    reason: share('reason', ({ reason }) => reason !== undefined),
    retryAt: share('retry_at', ({ retryAt }) => retryAt !== undefined),
    decision: { of: judged.length, right: judged.filter(actsRight).length },
    confusions: groups(
      judged.filter(({ labelled, verdict }) => labelled.label.class !== verdict.class),
      wordsOf,
    )
      .map((ones) => ({ words: wordsOf(ones[0]!), ids: ones.map(({ labelled }) => labelled.id) }))
      .sort((a, b) => b.ids.length - a.ids.length),
    // Cases whose class is right and whose reason or time is wrong.
    wrong: judged.flatMap(({ labelled, verdict, differs }) =>
      differs
        .filter(({ what }) => what !== 'class')
        .map((one) => ({ id: labelled.id, ...one, rule: verdict.evidence?.rule ?? null })),
    ),
  };
}

const wordsOf = ({ labelled, verdict }: Subject): string =>
  `${labelled.label.class ?? 'success'} judged ${verdict.class ?? 'success'}`;

/** At the first and the second occurrence, with the default settings of a run. */
function actsRight({ labelled, verdict }: Subject): boolean {
  const { class: errorClass, reason = verdict.reason, retryAt = verdict.retry_at } = labelled.label;
  const truth: Verdict = { class: errorClass, reason, evidence: null, retry_at: retryAt };
  return [1, 2].every((count) => actionFor(truth, labelled, count) === actionFor(verdict, labelled, count));
}

const actionFor = (verdict: Verdict, { at }: Subject['labelled'], count: number): string =>
  decide({ ...ASKED, verdict, count, now: at }).action;

const ASKED: Omit<Question, 'verdict' | 'count' | 'now'> = {
  retriesLeft: 1,
  callsLeft: 10,
  dirty: false,
  dirtyRetries: 'never',
  sessionId: null,
  session: { sessionId: null, resumed: false, busyAwaited: 0, repair: 'off' },
  waitForResetMs: 0,
  resetsAwaited: 0,
  fallback: null,
  waitMs: 0,
  wallLeftMs: null,
};
