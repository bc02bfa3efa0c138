// Compares verdicts with their labels: class, reason, the time to try again, and the dispatcher's decision.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { decide, type Question } from '../../policies/retry/decide.ts';
import { differences } from '../../policies/verdict/corpus-check.ts';
import { groups, type Share } from './pairs.ts';
import type { Subject } from './subject.ts';

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
