// One stage: call, verdict, gate, decision, and again or on. Judging, deciding and acting are three things; this one acts.

import { setTimeout as pause } from 'node:timers/promises';
import type { CallRecord } from '../../policies/call-record.ts';
import type { Finding, GateRecord } from '../../policies/gate.ts';
import { usedUp } from '../../policies/limits.ts';
import type { ResolvedRole } from '../../policies/resolved-role.ts';
import type { Failure } from '../../policies/task-failure.ts';
import type { Stage } from '../../state/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { type Baseline, closeBaseline, openBaseline } from './baseline.ts';
import { failureOf, limitFailure, pausedFailure, unansweredFailure, unpreparedFailure } from './failure.ts';
import { gateFailure, passStage } from './gated.ts';
import type { Underway } from './last-event.ts';
import { type Ask, decisionFor, type Next, nextAsk, waitFor } from './next-ask.ts';
import { callOnce, paidAnswer } from './one-call.ts';
import type { Composing, Prompt } from './prompt.ts';
import type { Slots } from './slots.ts';
import { spentOf } from './spent.ts';

export interface StageRun extends Composing {
  /** With the tool that answers now, which may stand in for the manifest's. */
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  runId: string;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  trustWorkspace: boolean;
  /** The user asked to pay for it again. */
  redone: boolean;
  /** The user keeps the answer that was paid for, whatever its prompt was. */
  kept: boolean;
  /** May an attempt that ran tools be begun anew? */
  dirtyRetries: 'never' | 'allowed';
  /** What becomes of changes that are out of scope. */
  outOfScope: 'reported' | 'restored';
  /** How long the reset of a quota may be waited for. */
  waitForResetMs: number;
  /** When the task's wall clock runs out. */
  endsAt: Date | null;
  /** Aborted when the run is told to stop: no more calls, no more waiting. */
  stop: AbortSignal;
  /** Aborted once what is known is written: now the guardian may be told. */
  guardianStop: AbortSignal;
  /** Where calls wait for a place; without it none waits. */
  slots?: Slots;
  clock: () => Date;
  random: () => number;
  say(sentence: string): void;
  /** The call that is waited for; null when there is none. */
  watch(underway: Underway | null): void;
}

export type StageEnd = { gate: GateRecord | null; calls: number; warnings: string[] } & (
  | { how: 'done'; record: CallRecord }
  | { how: 'failed'; failure: Failure; record: CallRecord | null }
  | { how: 'interrupted'; record: CallRecord | null }
);

export async function runStage(run: StageRun, first: Prompt): Promise<StageEnd> {
  const baseline = await openBaseline(run);
  if (baseline !== null && 'how' in baseline) {
    const failure = unpreparedFailure(run, baseline.message);
    return { how: 'failed', failure, record: null, gate: null, calls: 0, warnings: [] };
  }
  const end = await attempts(run, first, baseline);
  await closeBaseline(run, baseline, end.how === 'done' ? 'done' : 'open');
  return end;
}

async function attempts(started: StageRun, first: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  let run = started;
  const { open, stop, say } = run;
  const seen = new Map<string, number>();
  let { retry_budget: retriesLeft } = open.manifest.budgets;
  let ask: Ask = { prompt: first, resumeSession: open.manifest.meta.session_id ?? null };
  const paid = run.redone ? null : paidAnswer(run, first);
  if (paid !== null) return gated({ ...run, stage: { ...run.stage, tool: paid.tool } }, paid, first, baseline, 0);
  const nothing = { record: null, gate: null, warnings: first.warnings };
  for (let calls = 1; ; calls++) {
    if (stop.aborted) return { ...nothing, how: 'interrupted', calls: calls - 1 };
    const limit = usedUp(open.manifest.budgets, { ...spentOf(open), wallLeftMs: wallLeft(run) });
    if (limit !== null) return { ...nothing, how: 'failed', failure: limitFailure(run, limit), calls: calls - 1 };
    say(callWords(run, started, calls));
    const answered = await callOnce(run, ask, first.sha256);
    if (answered.how === 'stopped') return { ...nothing, how: 'interrupted', calls: calls - 1 };
    if (answered.how === 'paused') {
      const around = await aroundPause(run, answered, ask);
      if (around === null)
        return { ...nothing, how: 'failed', failure: pausedFailure(run, answered), calls: calls - 1 };
      say(`stage ${run.stage.name}: ${answered.message}; ${around.why}`);
      await pause(around.next.waitMs, undefined, { signal: stop }).catch(() => {});
      ask = around.next.ask;
      run = { ...run, stage: around.next.stage };
      calls -= 1;
      continue;
    }
    if (answered.how === 'unanswered')
      return { ...nothing, how: 'failed', failure: unansweredFailure(run, answered.why), calls: calls - 1 };
    const { record, judge } = answered;
    // A refused reservation was no call.
    const made = record.ending === 'not_started' ? calls - 1 : calls;
    if (judge !== null || record.verdict.class === null) return gated(run, record, first, baseline, made, judge);
    const ended = { record, gate: null, warnings: first.warnings, calls: made };
    if (stop.aborted) return { ...ended, how: 'interrupted' };
    const count = (seen.get(record.signature ?? '') ?? 0) + 1;
    seen.set(record.signature ?? '', count);
    const changed = baseline === null ? [] : await baseline.look();
    const waitMs = waitFor(run, record, calls);
    const decision = decisionFor(run, record, { count, retriesLeft, waitMs, changed: changed.length });
    const next = decision.action === 'stop' ? null : await nextAsk(run, decision, waitMs, ask);
    await open.journal.note({
      fact: 'decided',
      run_id: run.runId,
      stage: run.stage.name,
      action: next === null ? 'stop' : decision.action,
      why: decision.why,
      wait_ms: next === null ? 0 : next.waitMs,
    });
    if (next === null) {
      const failure = failureOf(run, record, { count, attempt: calls, decision, prompt: first, changed });
      return { ...ended, how: 'failed', failure };
    }
    const { class: errorClass, reason } = record.verdict;
    say(
      `stage ${run.stage.name}: ${errorClass} (${reason}); ${decision.why}; waiting ${(next.waitMs / 1000).toFixed(1)} s`,
    );
    await pause(next.waitMs, undefined, { signal: stop }).catch(() => {});
    ask = next.ask;
    run = { ...run, stage: next.stage };
    if (next.counts === 'as_retry') retriesLeft -= 1;
  }
}

/** Another call of the batch has met this quota: a stand-in, or waiting for the reset, may help here as well. */
async function aroundPause(
  run: StageRun,
  paused: { until: string | null; message: string },
  ask: Ask,
): Promise<{ next: Next; why: string } | null> {
  const verdict = { class: 'quota', reason: 'paused', evidence: null, retry_at: paused.until } as const;
  const seen = { count: 1, retriesLeft: 0, waitMs: 0, changed: 0 };
  const decision = decisionFor(run, { verdict, tool_calls: 0, session_id: null }, seen);
  const next = await nextAsk(run, decision, 0, ask);
  return next && { next, why: decision.why };
}

/** A call that succeeded is not yet a stage that is done. */
async function gated(
  run: StageRun,
  record: CallRecord,
  prompt: Prompt,
  baseline: Baseline | null,
  calls: number,
  judge: Finding | null = null,
): Promise<StageEnd> {
  const gate = await passStage(run, record, prompt, baseline, judge);
  const ended = { record, gate, calls, warnings: [...prompt.warnings, ...gate.notes] };
  if (gate.passed) return { ...ended, how: 'done' };
  // Stopped in the middle: nothing is known against the answer, and the next run looks at it again.
  if (gate.findings.length === 0) return { ...ended, how: 'interrupted' };
  return { ...ended, how: 'failed', failure: gateFailure(run, record, gate, calls) };
}

/** Who is called, and what the task has cost so far. */
function callWords({ open, stage }: StageRun, started: StageRun, calls: number): string {
  const standIn = stage.tool === started.stage.tool ? '' : `, ${stage.tool} stands in`;
  const { used } = open.journal.read().ledger;
  const { tokens, usd } = spentOf(open);
  const cost = [`${used} paid so far`, tokens > 0 ? `${tokens} tokens` : '', usd > 0 ? `$${usd.toFixed(4)}` : ''];
  return `stage ${stage.name}: call ${calls}${standIn} (${cost.filter(Boolean).join(', ')})`;
}

const wallLeft = ({ endsAt, clock }: StageRun): number | null => endsAt && endsAt.getTime() - clock().getTime();
