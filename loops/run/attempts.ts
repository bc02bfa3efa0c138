// The attempts of a stage: call, verdict, decision, and again or on. Judging, deciding and acting are three things; this one acts.

import type { CallRecord } from '../../policies/call-record.ts';
import type { Decision } from '../../policies/decide.ts';
import type { Change } from '../../policies/gate.ts';
import { usedUp } from '../../policies/limits.ts';
import { nextActions } from '../../policies/next-actions.ts';
import type { Failure } from '../../policies/task-failure.ts';
import type { Baseline } from './baseline.ts';
import { failureOf, limitFailure, pausedFailure, unansweredFailure } from './failure.ts';
import { goOnFrom } from './go-on.ts';
import { type Ask, decisionFor, type Next, nextAsk, waitFor } from './next-ask.ts';
import { callOnce } from './one-call.ts';
import { pauseFor, pauseUntil } from './pauses.ts';
import type { Prompt } from './prompt.ts';
import { spentOf } from './spent.ts';
import { gated, type StageEnd, type StageRun } from './stage.ts';

/** How far a stage has come in this run. */
interface Course {
  /** With the tool that answers now. */
  run: StageRun;
  ask: Ask;
  /** Calls that were made. */
  calls: number;
  /** How often each signature was seen. */
  seen: Map<string, number>;
  retriesLeft: number;
  resetLeftMs: number;
  resetsAwaited: number;
  /** The last attempt that failed, and what the stage has changed so far. */
  failed: CallRecord | null;
  changed: Change[];
}

type Step = { how: 'ended'; end: StageEnd } | { how: 'again'; next: Next };

export async function attempts(run: StageRun, first: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const { manifest } = run.open;
  const course: Course = {
    run,
    ask: (await goOnFrom(run, first)) ?? { prompt: first, resumeSession: manifest.meta.session_id ?? null },
    calls: 0,
    seen: new Map(),
    retriesLeft: manifest.budgets.retry_budget,
    resetLeftMs: run.waitForResetMs,
    resetsAwaited: 0,
    failed: null,
    changed: [],
  };
  for (;;) {
    const step = await attempt(course, first, baseline);
    if (step.how === 'ended') return step.end;
    await follow(course, step.next);
  }
}

async function attempt(course: Course, first: Prompt, baseline: Baseline | null): Promise<Step> {
  const { run, ask } = course;
  const { open, stop } = run;
  if (stop.aborted) return interrupted(course, first, null);
  const limit = usedUp(open.manifest.budgets, { ...spentOf(open), wallLeftMs: run.wallLeftMs() });
  if (limit !== null) return failed(course, first, limitFailure(run, limit), null);
  run.say(callWords(course));
  baseline?.forget();
  const answered = await callOnce(run, ask, first.sha256);
  switch (answered.how) {
    case 'stopped':
      return interrupted(course, first, null);
    case 'paused': {
      const verdict = { class: 'quota', reason: 'paused', evidence: null, retry_at: answered.until } as const;
      const { tool_calls, session_id } = course.failed ?? { tool_calls: 0, session_id: null };
      const asked = { verdict, tool_calls, session_id };
      return decided(course, asked, 0, () => failed(course, first, pausedFailure(run, answered), null));
    }
    case 'too_late':
      return attempt(course, first, baseline);
    case 'unanswered':
      if (stop.aborted) return interrupted(course, first, null);
      return failed(course, first, unansweredFailure(run, answered.why), null);
    case 'answered':
      break;
  }
  const { record, judge } = answered;
  // A refused reservation was no call.
  if (record.ending !== 'not_started') course.calls += 1;
  if (judge !== null || record.verdict.class === null)
    return {
      how: 'ended',
      end: await gated(run, record, withDigestTold(first, ask.prompt), baseline, course.calls, judge),
    };
  if (stop.aborted) return interrupted(course, first, record);
  course.failed = record;
  course.changed = baseline === null ? [] : await baseline.look();
  const signature = record.signature ?? '';
  const count = (course.seen.get(signature) ?? 0) + 1;
  course.seen.set(signature, count);
  return decided(course, record, count, (decision) => {
    const { calls, changed } = course;
    const circumstances = { count, attempt: Math.max(1, calls), decision, prompt: first, changed };
    return failed(course, first, failureOf(run, record, circumstances), record);
  });
}

/** Who reads the answer must know that not all was asked. */
const withDigestTold = (first: Prompt, asked: Prompt): Prompt =>
  asked.digest === first.digest || asked.parts.length === 0
    ? first
    : {
        ...first,
        warnings: [
          ...first.warnings,
          `answered from a digest of ${asked.chars} characters, since the whole prompt of ${first.chars} was too large`,
        ],
      };

/** The decision about a failure, noted; with what follows from it, or else the stage's end. */
async function decided(
  course: Course,
  record: Pick<CallRecord, 'verdict' | 'tool_calls' | 'session_id'>,
  count: number,
  end: (decision: Pick<Decision, 'action' | 'why' | 'next_actions'>) => Step,
): Promise<Step> {
  const { run, ask, calls, retriesLeft, resetLeftMs, resetsAwaited, changed } = course;
  const waitMs = waitFor(run, record, Math.max(1, calls));
  const seen = { count, retriesLeft, waitMs, changed: changed.length, resetLeftMs, resetsAwaited };
  const decision = decisionFor(run, record, seen);
  const asked = decision.action === 'stop' ? null : await nextAsk(run, decision, waitMs, ask);
  const next = asked?.how === 'asked' ? asked.next : null;
  const why = asked?.how === 'cannot' ? asked.why : decision.why;
  await run.open.journal.note({
    fact: 'decided',
    run_id: run.runId,
    stage: run.stage.name,
    action: next === null ? 'stop' : decision.action,
    why,
    wait_ms: next?.waitMs ?? 0,
  });
  if (next === null) {
    // What was planned cannot be done.
    const next_actions = nextActions({ verdict: record.verdict, taskId: run.open.task.id, tool: run.stage.tool });
    return end(asked === null ? decision : { action: 'stop', why, next_actions });
  }
  const { class: errorClass, reason } = record.verdict;
  const wait = next.waitMs === 0 ? '' : `; waiting ${(next.waitMs / 1000).toFixed(1)} s`;
  run.say(`stage ${run.stage.name}: ${errorClass} (${reason}); ${why}${wait}`);
  return { how: 'again', next };
}

async function follow(course: Course, next: Next): Promise<void> {
  const { run } = course;
  // The wait that was granted is counted in time awake, so that a clock that is set back does not lengthen it for ever.
  if (next.until === null) await pauseFor(next.waitMs, run.stop);
  else await pauseUntil(next.until, course.resetLeftMs, run.clock, run.stop);
  course.ask = next.ask;
  course.run = { ...run, stage: next.stage };
  if (next.counts === 'as_retry') course.retriesLeft -= 1;
  if (next.counts !== 'as_reset') return;
  course.resetsAwaited += 1;
  course.resetLeftMs = Math.max(0, course.resetLeftMs - next.waitMs);
}

const failed = (
  { calls }: Course,
  { warnings }: Prompt,
  failure: Failure,
  record: CallRecord | null,
): Step & { how: 'ended' } => ({ how: 'ended', end: { how: 'failed', failure, record, gate: null, warnings, calls } });

const interrupted = ({ calls, failed }: Course, { warnings }: Prompt, record: CallRecord | null): Step => ({
  how: 'ended',
  end: {
    how: 'interrupted',
    record,
    gate: null,
    warnings,
    calls,
    retry_at: failed?.verdict.retry_at ?? null,
  },
});

/** Who is called, and what the task has cost so far. */
function callWords({ run: { open, stage }, calls }: Course): string {
  const own = open.plans.find((plan) => plan.stage.name === stage.name)?.stage.tool;
  const standIn = stage.tool === own ? '' : `, ${stage.tool} stands in`;
  const { used } = open.journal.read().ledger;
  const { tokens, usd } = spentOf(open);
  const cost = [`${used} paid so far`, tokens > 0 ? `${tokens} tokens` : '', usd > 0 ? `$${usd.toFixed(4)}` : ''];
  return `stage ${stage.name}: call ${calls + 1}${standIn} (${cost.filter(Boolean).join(', ')})`;
}
