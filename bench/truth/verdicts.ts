// Compares verdicts with their labels: class, reason, the time to try again, and the dispatcher's decision.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { decide, type Question } from '../../policies/retry/decide.ts';
import { differences } from '../../policies/verdict/corpus-check.ts';
import type { Share } from './pairs.ts';
import type { Subject } from './subject.ts';

export interface Verdicts {
  class: Share;
  reason: Share;
  retryAt: Share;
  decision: Share;
  /** The label, the verdict, and the cases. */
  confusions: { labelled: string; judged: string; ids: string[] }[];
  /** Cases whose class is right and whose reason or time is wrong. */
  wrong: { id: string; what: string; expected: string | null; got: string | null; rule: string | null }[];
}

export function verdictsOf(subjects: readonly Subject[]): Verdicts {
  const judged = subjects.map((subject) => ({
    ...subject,
    differs: differences(subject.labelled.label, subject.verdict),
  }));
  const right = (what: string) => (one: (typeof judged)[number]) =>
    !one.differs.some((each) => each.what === what || each.what === 'class');
  const share = (what: string, ones: typeof judged): Share => ({
    of: ones.length,
    right: ones.filter(right(what)).length,
  });
  return {
    class: share('class', judged),
    reason: share(
      'reason',
      judged.filter(({ labelled }) => labelled.label.reason !== undefined),
    ),
    retryAt: share(
      'retry_at',
      judged.filter(({ labelled }) => labelled.label.retryAt !== undefined),
    ),
    decision: { of: judged.length, right: judged.filter(actsRight).length },
    confusions: confusionsOf(judged),
    wrong: judged.flatMap(({ labelled, verdict, differs }) =>
      differs
        .filter(({ what }) => what !== 'class')
        .map((one) => ({ id: labelled.id, ...one, rule: verdict.evidence?.rule ?? null })),
    ),
  };
}

function confusionsOf(judged: readonly Subject[]): Verdicts['confusions'] {
  const found = new Map<string, string[]>();
  for (const { labelled, verdict } of judged) {
    if (labelled.label.class === verdict.class) continue;
    const name = JSON.stringify([labelled.label.class ?? 'success', verdict.class ?? 'success']);
    found.set(name, [...(found.get(name) ?? []), labelled.id]);
  }
  return [...found]
    .map(([name, ids]) => {
      const [labelled, judged] = JSON.parse(name) as [string, string];
      return { labelled, judged, ids };
    })
    .sort((a, b) => b.ids.length - a.ids.length);
}

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
